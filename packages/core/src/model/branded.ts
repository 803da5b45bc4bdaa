declare const BRAND: unique symbol;

/** Text of one kind, which no other text can be passed for. It is plain text when the program runs. */
export type Branded<Kind extends string> = string & { readonly [BRAND]: Kind };
