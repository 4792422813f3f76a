import { existsSync } from 'node:fs'
import { delimiter, join, sep } from 'node:path'

/**
 * Directories on PATH without `node_modules/.bin`, which npm puts first. A program that replaces `node_modules` must
 * not use its `node`.
 */
export function outsidePath(path = process.env.PATH ?? '') {
  return path.split(delimiter).filter(entry => !entry.split(sep).includes('node_modules'))
}

/** Environment for programs that change `node_modules`. */
export function outsideEnv() {
  return { ...process.env, PATH: outsidePath().join(delimiter) }
}

/** A Node outside of `node_modules`; this one, if there is no other. */
export function outsideNode() {
  return (
    [process.env.npm_node_execpath, process.execPath, findOutside('node')].find(isOutside) ?? process.execPath
  )
}

/** The command that starts npm with a Node outside of `node_modules`: `[command, ...arguments]`. */
export function npmCommand() {
  const cli = process.env.npm_execpath ?? ''
  const node = outsideNode()
  if (/npm-cli\.js$/.test(cli) && isOutside(node) && existsSync(cli)) return [node, cli]
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm']
}

function findOutside(program) {
  return outsidePath()
    .map(directory => join(directory, program))
    .find(path => existsSync(path))
}

function isOutside(path) {
  return path !== undefined && !/[\\/]node_modules[\\/](\.bin|node|node-[^\\/]+)[\\/]/.test(path)
}
