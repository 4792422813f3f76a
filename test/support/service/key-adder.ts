/** A process that adds keys to a file: `key-adder.ts <path> <name> <count>`. */
import { KeyFile } from '../../../src/service/server/keys/key-store.ts'
import { THEN } from './key-date.ts'

const [path = '', name, count] = process.argv.slice(2)
const file = new KeyFile(path)
for (let n = 0; n < Number(count); n++) await file.add(`${name}-${n}`, THEN)
