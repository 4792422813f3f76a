/** Spellings of one number of an address that URL parsers read: decimal, hexadecimal, octal, with leading zeros. */
function forms(byte: number): string[] {
  return [String(byte), `0x${byte.toString(16)}`, `0${byte.toString(8)}`, `0x000${byte.toString(16)}`]
}

const CIRCLED = ['⓪', '①', '②', '③', '④', '⑤', '⑥', '⑦', '⑧', '⑨']
const WIDE = '０１２３４５６７８９'

/** An IPv4 address in every spelling possible in a URL. */
function spellingsOf(address: string): string[] {
  const bytes = address.split('.').map(Number)
  const [a = 0, b = 0, c = 0, d = 0] = bytes
  const whole = a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d
  const hex = (n: number, width = 0) => n.toString(16).padStart(width, '0')
  const mapped = `${hex(a * 256 + b)}:${hex(c * 256 + d)}`
  const dotted = [0, 1, 2, 3].map(form => bytes.map(byte => forms(byte)[form]).join('.'))
  return [
    ...dotted,
    bytes.map((byte, at) => forms(byte)[at % 4]).join('.'),
    `${address}.`,
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${b * 65_536 + c * 256 + d}`,
    `0x${hex(a)}.${b * 65_536 + c * 256 + d}`,
    String(whole),
    `0x${hex(whole, 8)}`,
    `0X${hex(whole, 8).toUpperCase()}`,
    `0${whole.toString(8)}`,
    address.replaceAll(/\d/g, digit => CIRCLED[Number(digit)]!),
    address.replaceAll(/\d/g, digit => WIDE[Number(digit)]!),
    address.replaceAll('.', '。'),
    address.replaceAll('.', '%2e'),
    address.replace(/\d/, digit => `%3${digit}`),
    `[::ffff:${address}]`,
    `[::ffff:${mapped}]`,
    `[0:0:0:0:0:ffff:${mapped}]`,
    `[0000:0000:0000:0000:0000:FFFF:${mapped.toUpperCase()}]`,
    `[::${address}]`,
    `[::${mapped}]`,
    `[64:ff9b::${mapped}]`,
    `[64:ff9b:1::${mapped}]`,
    `[2002:${mapped}::]`,
    `[2002:${mapped}::1]`,
    `[::ffff:0:${mapped}]`,
  ]
}

/** Hosts, as written in a URL, that are this machine, its network, or unassigned. */
export const LOCAL_HOSTS: readonly string[] = [
  ...[
    '127.0.0.1',
    '127.8.9.10',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '168.63.129.16',
    '100.100.100.200',
  ].flatMap(spellingsOf),
  '127.1',
  '127.0.1',
  '0',
  '0x0',
  '255.255.255.255',
  '224.0.0.1',
  '198.18.0.1',
  '192.0.0.8',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[0000:0000:0000:0000:0000:0000:0000:0001]',
  '[fd00::1]',
  '[fc00::1]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[fd00:ec2::254]',
  '[2001::1]',
  '[2001:db8::1]',
  '[100::1]',
]
