import { XMLParser, XMLValidator } from 'fast-xml-parser'

/** An element with its direct content. */
export interface Element {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly children: readonly Element[]
  /** Its own text, without that of its children. */
  readonly text: string
}

const ATTRIBUTES = ':@'
const TEXT = '#text'
const LITERAL = /<!\[CDATA\[[\s\S]*?\]\]>|<!--[\s\S]*?-->/g
/** XML has five named entities, and numbers; `&oacute;` and the bare `&` of a query string are the usual mistakes. */
const UNKNOWN_ENTITY = /&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);).{0,12}/i

/** Reads one document. Returns its root, or a description of the error. Never throws. */
export function readXml(text: string): Element | string {
  try {
    const verdict = XMLValidator.validate(text)
    if (verdict !== true) return `line ${verdict.err.line}: ${verdict.err.msg}`
    const entity = UNKNOWN_ENTITY.exec(text.replace(LITERAL, ''))
    if (entity) return `unknown entity ${entity[0]}`
    const nodes: unknown = parser().parse(text)
    const roots = elementsOf(nodes)
    const [root] = roots
    if (!root || roots.length > 1) return `${roots.length} root elements`
    return root
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function parser(): XMLParser {
  return new XMLParser({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: '',
    parseTagValue: false,
    parseAttributeValue: false,
    trimValues: false,
    htmlEntities: true,
    ignoreDeclaration: true,
    ignorePiTags: true,
  })
}

/** The parser's nodes are objects with the element's name as a key next to its attributes. */
function elementsOf(nodes: unknown): Element[] {
  return arrayOf(nodes).flatMap(node => elementOf(node) ?? [])
}

function elementOf(node: unknown): Element | undefined {
  if (!isRecord(node)) return undefined
  const name = Object.keys(node).find(key => key !== ATTRIBUTES && key !== TEXT)
  if (name === undefined) return undefined
  const content = arrayOf(node[name])
  const attributes = isRecord(node[ATTRIBUTES]) ? Object.entries(node[ATTRIBUTES]) : []
  return {
    name,
    attributes: new Map(attributes.map(([key, value]) => [key, String(value)])),
    children: elementsOf(content),
    text: content.map(part => (isRecord(part) && TEXT in part ? String(part[TEXT]) : '')).join(''),
  }
}

function arrayOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
