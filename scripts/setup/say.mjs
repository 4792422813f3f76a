/** One line of progress, on stderr: stdout belongs to the command that follows. */
export function say(line) {
  process.stderr.write(`setup: ${line}\n`)
}
