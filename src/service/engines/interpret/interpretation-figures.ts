/** What the cascades of a service have counted. */
export class InterpretationFigures {
  /** Words that were translated, and that the recognizer changed later. */
  changedWords = 0
  /** Clauses whose translation lost a figure. */
  lostFigures = 0
  /** Clauses that were shown but not spoken, because most of their words were doubtful. */
  doubtfulClauses = 0
}
