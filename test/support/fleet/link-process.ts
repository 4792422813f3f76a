/**
 * A TCP relay in its own process. While the process is stopped, it neither delivers nor acknowledges anything for
 * long, and no one gets a reset: as if a machine had lost its network. `SilentLink` controls it.
 */
import { connect, createServer, type Socket } from 'node:net'

/** Connections that the system accepts for the process while it is stopped; it drops further ones. */
const BACKLOG = 64

let target = 0
process.on('message', (message: { target: number }) => {
  target = message.target
})
process.on('disconnect', () => process.exit(0))

const server = createServer(socket => {
  const other = connect(target, '127.0.0.1')
  join(socket, other)
  join(other, socket)
})
server.listen({ host: '127.0.0.1', port: 0, backlog: BACKLOG }, () => {
  const address = server.address()
  process.send?.({ port: typeof address === 'object' ? address?.port : undefined })
})

function join(from: Socket, to: Socket): void {
  from.setNoDelay(true)
  from.pipe(to)
  from.on('error', () => to.destroy())
  from.on('close', () => to.destroy())
}
