/** A text, or how it is made from its values. */
type Text = string | ((...values: never[]) => string)

/** The shape of texts in each language: those of the English ones `T`, with the same keys, nesting and values. */
export type TextsLike<T> = T extends string
  ? string
  : T extends Text
    ? T
    : { readonly [K in keyof T]: TextsLike<T[K]> }
