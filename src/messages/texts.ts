/** A text, or how it is made from its values. */
export type Text = string | ((...values: never[]) => string)

/** The shape of a catalog's part: the same keys and values in each language. */
export type TextsLike<T> = { readonly [K in keyof T]: T[K] extends string ? string : T[K] }
