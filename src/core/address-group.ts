const BYTE = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const IPV4 = new RegExp(`^${BYTE}(\\.${BYTE}){3}$`)

/** Leading 16-bit words of an IPv6 address that one customer is given; the rest changes at will. */
const NETWORK_WORDS = 4

/**
 * Whose address it is, for counting: an IPv4 address (also one written as IPv6) stands for itself, an IPv6 address for
 * its network of 64 bits. Anything else is one group.
 */
export function addressGroup(address: string | undefined): string {
  const bare = (address ?? '').split('%')[0]!.toLowerCase()
  if (IPV4.test(bare)) return bare
  if (!/^[\da-f.]*:[\da-f:.]*$/.test(bare) || !URL.canParse(`http://[${bare}]`)) return 'elsewhere'
  const mapped = /^(?:0*:)*:?ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(bare)?.[1]
  return mapped ?? `${words(bare).slice(0, NETWORK_WORDS).join(':')}::/64`
}

/** The eight words of an IPv6 address, each without leading zeros. */
function words(address: string): string[] {
  const [head = '', tail] = address.replace(/\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$/, '0:0').split('::')
  const parts = (text: string) => (text === '' ? [] : text.split(':'))
  const front = parts(head)
  const back = parts(tail ?? '')
  const zeros = Array.from({ length: 8 - front.length - back.length }, () => '0')
  return [...front, ...(tail === undefined ? [] : zeros), ...back].map(word => word.replace(/^0+(?=.)/, ''))
}
