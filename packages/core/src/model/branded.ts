declare const BRAND: unique symbol;

/** A branded string: the compiler rejects other strings in its place. A plain string at run time. */
export type Branded<Kind extends string> = string & { readonly [BRAND]: Kind };
