/**
 * Makes the optional peers of package.json ordinary dependencies, in the versions of its devDependencies and so of
 * package-lock.json: `npm ci --omit=dev` then installs exactly what all channels need. For images; it changes the file
 * in place.
 *
 *   node scripts/with-peers.mjs [package.json]
 */
import { readFileSync, writeFileSync } from 'node:fs'

const [, , path = 'package.json'] = process.argv
const { peerDependencies, peerDependenciesMeta: _, ...rest } = JSON.parse(readFileSync(path, 'utf8'))
const { dependencies, devDependencies } = rest
for (const name of Object.keys(peerDependencies)) {
  dependencies[name] = devDependencies[name]
  delete devDependencies[name]
}
writeFileSync(path, `${JSON.stringify({ ...rest, dependencies, devDependencies }, null, 2)}\n`)
