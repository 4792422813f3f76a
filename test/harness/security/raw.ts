import { connect, type Socket } from 'node:net'

/** State of one connection. */
export interface RawConnection extends AsyncDisposable {
  readonly socket: Socket
  /** Data received so far. */
  text(): string
  /** Resolves to its duration (ms of real time) when the connection is over. */
  readonly over: Promise<number>
}

/**
 * Opens a connection to `port` on this machine, from `from`, which sends nothing on its own. `allowHalfOpen`: it stays open
 * when the server has ended its side.
 */
export function rawConnection(
  port: number,
  from = '127.0.0.1',
  { allowHalfOpen = false } = {},
): RawConnection {
  const began = performance.now()
  const socket = connect({ port, host: '127.0.0.1', localAddress: from, allowHalfOpen })
  let text = ''
  socket.setEncoding('latin1')
  socket.on('data', data => {
    text += data
  })
  socket.on('error', () => {})
  const over = new Promise<number>(resolve => {
    socket.on('close', () => resolve(performance.now() - began))
  })
  return {
    socket,
    text: () => text,
    over,
    async [Symbol.asyncDispose]() {
      socket.destroy()
      await over
    },
  }
}

/** Sends `text` on its own connection, and returns the response until its end, or for `ms`. */
export async function exchanged(
  port: number,
  text: string | Buffer,
  { from = '127.0.0.1', ms = 3_000 } = {},
): Promise<string> {
  const connection = rawConnection(port, from)
  connection.socket.write(text)
  const timer = setTimeout(() => connection.socket.destroy(), ms)
  await connection.over
  clearTimeout(timer)
  return connection.text()
}

/** The upgrade of a media stream, with any headers. */
export function upgradeText(path: string, headers: Readonly<Record<string, string>> = {}): string {
  const all = {
    host: 'bridge.example.com',
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
  }
  return `GET ${path} HTTP/1.1\r\n${Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`
}
