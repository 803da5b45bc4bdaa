/** The address families of tables for one IP family. */
export type NftFamily = 'ip' | 'ip6';
