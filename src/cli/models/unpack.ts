import { createReadStream, createWriteStream } from 'node:fs'
import { copyFile, readdir, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { CommandError } from '../errors.ts'
import { type CatalogFile, fileName } from './catalog.ts'

/** Recordings for trying a model, which nothing needs. */
const UNUSED = /^[^/]+\/test_wavs(\/|$)/

export interface UnpackOptions {
  /** Maximum size of everything that is unpacked (bytes). */
  readonly most: number
  readonly signal?: AbortSignal | undefined
  /** Called with the bytes that have been unpacked. */
  readonly progress?: ((bytes: number) => void) | undefined
}

/**
 * Unpacks a download into `folder`, which exists. Rejects with a `CommandError` if it is damaged or larger than allowed,
 * with the error of the file system if it cannot be written.
 */
export async function unpack(
  path: string,
  file: CatalogFile,
  folder: string,
  options: UnpackOptions,
): Promise<void> {
  const { signal } = options
  const counted = counter(options)
  try {
    switch (file.unpack) {
      case undefined:
        await copyFile(path, join(folder, fileName(file)))
        return
      case 'gz': {
        const target = join(folder, fileName(file).replace(/\.gz$/, ''))
        await pipeline(createReadStream(path), createGunzip(), counted, createWriteStream(target), { signal })
        return
      }
      case 'tar.bz2': {
        const [{ default: unbzip2 }, { x: extract }] = await Promise.all([
          import('unbzip2-stream'),
          import('tar'),
        ])
        const files = extract({
          cwd: folder,
          strip: 1,
          strict: true,
          // No owners, links or devices of the archive.
          preserveOwner: false,
          filter: (name, entry) =>
            !UNUSED.test(name) && 'type' in entry && /^(File|OldFile|Directory)$/.test(entry.type),
        })
        await pipeline(
          createReadStream(path),
          unbzip2() as unknown as NodeJS.ReadWriteStream,
          counted,
          files,
          { signal },
        )
        return
      }
    }
  } catch (cause) {
    signal?.throwIfAborted()
    if (cause instanceof CommandError || isSystemError(cause)) throw cause
    throw new CommandError(
      `${fileName(file)} is damaged and cannot be unpacked (${(cause as Error).message})`,
      { cause },
    )
  }
}

/** Returns the paths and sizes of all files below `folder`. */
export async function filesIn(folder: string): Promise<{ path: string; bytes: number }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
  const sized = files.map(async path => ({ path: relative(folder, path), bytes: (await stat(path)).size }))
  return (await Promise.all(sized)).sort((a, b) => (a.path < b.path ? -1 : 1))
}

function counter({ most, progress }: UnpackOptions): Transform {
  let bytes = 0
  return new Transform({
    transform(piece: Uint8Array, _encoding, done) {
      bytes += piece.length
      progress?.(bytes)
      if (bytes > most)
        done(new CommandError(`unpacks to more than ${most} bytes, which the catalog does not expect`))
      else done(null, piece)
    },
  })
}

function isSystemError(error: unknown): boolean {
  return typeof (error as NodeJS.ErrnoException).syscall === 'string'
}
