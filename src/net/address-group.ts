const BYTE = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const IPV4 = new RegExp(`^${BYTE}(\\.${BYTE}){3}$`)

/** Leading 16-bit words of an IPv6 address that a provider assigns to one customer, who can change the rest at any time. */
const NETWORK_WORDS = 4

/**
 * Returns the key under which requests from `address` are counted: the IPv4 address (also if it is
 * mapped to IPv6), or the /64 network of an IPv6 address. All other values share one key.
 */
export function addressGroup(address: string | undefined): string {
  const bare = (address ?? '').split('%')[0]!.toLowerCase()
  if (IPV4.test(bare)) return bare
  if (!/^[\da-f.]*:[\da-f:.]*$/.test(bare) || !URL.canParse(`http://[${bare}]`)) return 'elsewhere'
  const mapped = /^(?:0*:)*:?ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(bare)?.[1]
  return mapped ?? `${words(bare).slice(0, NETWORK_WORDS).join(':')}::/64`
}

/** Returns the eight words of an IPv6 address, without leading zeros. */
function words(address: string): string[] {
  const [head = '', tail] = address.replace(/\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$/, '0:0').split('::')
  const parts = (text: string) => (text === '' ? [] : text.split(':'))
  const front = parts(head)
  const back = parts(tail ?? '')
  const zeros = Array.from({ length: 8 - front.length - back.length }, () => '0')
  return [...front, ...(tail === undefined ? [] : zeros), ...back].map(word => word.replace(/^0+(?=.)/, ''))
}
