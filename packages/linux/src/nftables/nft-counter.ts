/** The values of a counter. */
export interface NftCounter {
  readonly packets: number;
  readonly bytes: number;
}
