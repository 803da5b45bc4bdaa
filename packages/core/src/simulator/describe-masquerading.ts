import type { SimulatedChoice } from './simulate-packet.js';

/** Whether endpoints see the address of the client, in a few words: `masqueraded`. */
export function describeMasquerading(choices: readonly SimulatedChoice[]): string {
  const masqueraded = choices.filter((choice) => choice.masqueraded);
  if (masqueraded.length === 0) {
    return 'source kept';
  }
  if (masqueraded.length === choices.length) {
    return 'masqueraded';
  }
  return masqueraded.every(({ hairpin }) => hairpin)
    ? 'masqueraded to itself only'
    : 'masqueraded, except to addresses of this node';
}
