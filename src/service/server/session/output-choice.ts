import type { Socket } from 'socket.io'
import { ChunkOutput } from './chunk-output.ts'
import { addressFor } from './client-address.ts'
import type { NamespaceParts } from './namespaces.ts'
import type { SpokenOutput, SpokenOutputParts } from './spoken-output.ts'
import { StreamOutput } from './stream-output.ts'

/** Returns the output selected by `receiveAudio.obtainVia`. */
export function chosenOutput(
  chosen: Omit<SpokenOutputParts, 'clock'>,
  socket: Socket,
  { streams, settings, clock }: NamespaceParts,
): SpokenOutput {
  const parts = { ...chosen, clock }
  if (parts.receiveAudio.obtainVia === 'chunk') return new ChunkOutput(parts)
  const { maxUnreadBytes } = settings
  return new StreamOutput({ ...parts, streams, base: addressFor(socket, settings), maxUnreadBytes })
}
