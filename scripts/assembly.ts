/**
 * `npm run assembly`: compiles `assembly/` to the WebAssembly module that is committed beside its loader. A test compiles
 * it again and compares.
 */
import { execFileSync } from 'node:child_process'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const project = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const OPTIONS = [
  ...['--runtime', 'stub', '--noAssert', '-O3', '--enable', 'simd'],
  // The loader creates the memory, which is full of zeros.
  ...['--importMemory', '--zeroFilledMemory', '--initialMemory', '1', '--maximumMemory', '16384'],
]

/** Compiles the module into the file `target`. Throws with the compiler's messages if it cannot. */
export function compileAssembly(target: string): void {
  const compiler = join(project, 'node_modules/assemblyscript/bin/asc.js')
  execFileSync(process.execPath, [compiler, 'assembly/echo.ts', '--outFile', target, ...OPTIONS], {
    cwd: project,
    stdio: 'pipe',
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  compileAssembly(join(project, 'src/transcode/echo/echo.wasm'))
