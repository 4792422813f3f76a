import { SECTION_2 } from './http-statements.ts'
import { SECTION_3 } from './section-3.ts'
import { SECTION_4 } from './section-4.ts'
import { SECTION_5 } from './section-5.ts'
import { SECTION_6 } from './section-6.ts'
import { SECTION_7 } from './section-7.ts'
import type { Statement } from './statement.ts'

/** Every statement of sections 2 to 7 of the interface document that shows from outside, in its order. */
export const STATEMENTS: readonly Statement[] = [
  ...SECTION_2,
  ...SECTION_3,
  ...SECTION_4,
  ...SECTION_5,
  ...SECTION_6,
  ...SECTION_7,
]
