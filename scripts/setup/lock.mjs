import { createHash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { say } from './say.mjs'

/**
 * Runs `task` while no other set-up of the same project runs: `npm start` and `npm run demo` in two terminals right
 * after a clone must not both rebuild `node_modules`. Takes over the lock of a process that is gone.
 */
export async function alone(project, task) {
  const key = createHash('sha256').update(project).digest('hex').slice(0, 12)
  const path = join(tmpdir(), `dragoman-setup-${key}.lock`)
  for (let told = false; !take(path); told = true) {
    if (!told) say('another set-up of this project is running; waiting for it')
    await sleep(300)
  }
  const release = () => rmSync(path, { force: true })
  process.once('exit', release)
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
  try {
    return await task()
  } finally {
    release()
  }
}

function take(path) {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') return true // a lock cannot be created: continue without
  }
  if (isAlive(ownerOf(path))) return false
  rmSync(path, { force: true })
  return take(path)
}

function ownerOf(path) {
  try {
    return Number(readFileSync(path, 'utf8'))
  } catch {
    return 0
  }
}

function isAlive(pid) {
  if (!pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
