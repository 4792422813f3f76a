import { BridgeError } from '../../common/errors.ts'

/**
 * The oldest nats-server that keeps acknowledged writes when its processes crash: 2.10.20 to 2.10.22 could lose a whole
 * stream. Sources: Jepsen, "NATS 2.12.1", section about 2.10.22; nats-server issue 6888.
 */
const OLDEST = [2, 10, 23] as const

/** Throws `BridgeError` `CONFIG` if a nats-server of this version, or of a version that cannot be read, is too old. */
export function checkServerVersion(version: string): void {
  const parts = version.split(/[.-]/).map(Number)
  for (const [at, oldest] of OLDEST.entries()) {
    const part = parts[at] ?? Number.NaN
    if (part > oldest) return
    if (part === oldest) continue
    throw new BridgeError(
      'CONFIG',
      `fleet.nats: found nats-server ${version}, which can lose acknowledged writes; expected ${OLDEST.join('.')} or newer`,
    )
  }
}
