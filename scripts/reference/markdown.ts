/** Markdown building blocks of the reference. */

/** The top of every generated page. */
export function head(title: string, about: string): string {
  return `# ${title}\n\n<!-- Made by \`npm run reference\` from the sources: change those. -->\n\n${about.trimEnd()}\n`
}

/** A table; cells can contain anything except line breaks. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`
  return `${[line(heads), `|${heads.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n')}\n`
}

export function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\`\n`
}

/** Formats any text as code. */
export function code(text: string): string {
  if (text === '') return ''
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``
}

function cell(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ').replaceAll('|', '\\|')
}
