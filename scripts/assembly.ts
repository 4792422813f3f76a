/**
 * `npm run assembly`: compiles the AssemblyScript beside its users in `src/transcode` to the WebAssembly that is
 * committed with it. A test compiles it again and compares.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const project = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const OPTIONS = ['--runtime', 'stub', '--noAssert', '-O3', '--enable', 'simd']

interface Module {
  readonly source: string
  readonly options: readonly string[]
  /** The committed file, and its content for a compiled module. */
  readonly target: string
  readonly content: (binary: Buffer) => string | Buffer
}

export const MODULES: readonly Module[] = [
  {
    source: 'src/transcode/echo/assembly/echo.ts',
    // The loader creates the memory, which is full of zeros.
    options: ['--importMemory', '--zeroFilledMemory', '--initialMemory', '1', '--maximumMemory', '16384'],
    target: 'src/transcode/echo/echo.wasm',
    content: binary => binary,
  },
  {
    source: 'src/transcode/resample/assembly/fir.ts',
    // 2 MiB: enough for the weights of all pairs of rates. Untouched pages take no memory.
    options: ['--initialMemory', '32', '--maximumMemory', '32'],
    target: 'src/transcode/resample/fir-binary.ts',
    content:
      binary => `/** \`assembly/fir.ts\`, compiled by \`npm run assembly\`: bytes, because a browser's worklet reads no file. */
// biome-ignore format: generated
export const FIR_BINARY: Uint8Array<ArrayBuffer> = Uint8Array.of(
${lines(binary)}
)
`,
  },
]

/** Bytes as numbers in lines of 100 characters. */
function lines(binary: Buffer): string {
  return Array.from(binary, byte => `${byte},`)
    .join(' ')
    .replaceAll(/(.{1,98})(?: |$)/g, '  $1\n')
    .trimEnd()
}

/** What `module` compiles to. Throws with the compiler's messages if it cannot. */
export function compileAssembly({ source, options, content }: Module): string | Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-assembly-'))
  try {
    const compiler = join(project, 'node_modules/assemblyscript/bin/asc.js')
    const binary = join(folder, 'module.wasm')
    const args = [compiler, source, '--outFile', binary, ...OPTIONS, ...options]
    execFileSync(process.execPath, args, { cwd: project, stdio: 'pipe' })
    return content(readFileSync(binary))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const module of MODULES) writeFileSync(join(project, module.target), compileAssembly(module))
