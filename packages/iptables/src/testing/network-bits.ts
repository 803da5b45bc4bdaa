/** The bits of an IPv4 or IPv6 address, as iptables prints it. */
export function networkBits(address: string): bigint {
  if (!address.includes(':')) {
    return address.split('.').reduce((bits, byte) => (bits << 8n) | BigInt(byte), 0n);
  }
  const [left = '', right = ''] = address.split('::');
  const words = (text: string) => (text === '' ? [] : text.split(':'));
  const zeros = Array<string>(8 - words(left).length - words(right).length).fill('0');
  const all = address.includes('::') ? [...words(left), ...zeros, ...words(right)] : words(address);
  return all.reduce((bits, word) => (bits << 16n) | BigInt(`0x${word}`), 0n);
}
