/** Run by the soak tests in a separate process, with `--expose-gc`: runs calls and reports the leftovers. */
import { readdirSync } from 'node:fs'
import { queryObjects, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { FakeLeg } from '../../simulator/fakes/fake-leg.ts'
import { Playout } from '../../src/core/playout/playout.ts'
import { Interpretation } from '../../src/core/room/interpretation.ts'
import { Participant } from '../../src/core/room/participant.ts'
import { Room } from '../../src/core/room/room.ts'
import { ReplayBuffer } from '../../src/core/translation/replay-buffer.ts'
import { Session } from '../../src/core/translation/session.ts'
import { SpeechAudio } from '../../src/core/utterance/speech-audio.ts'
import { mp3DecodersInUse } from '../../src/transcode/mp3/mp3-decoder.ts'
import { RoomCalls } from './room-calls.ts'
import { leftovers, type SoakReport } from './soak.ts'
import { StreamCalls } from './stream-calls.ts'

const CLASSES = { FakeLeg, Interpretation, Participant, Playout, ReplayBuffer, Room, Session, SpeechAudio }

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

const openFiles = () => readdirSync('/proc/self/fd').length
const handles = () => process.getActiveResourcesInfo().toSorted().join()
// Also counts the prototype of a class that has a subclass.
const count = (made: unknown) => queryObjects(made as never, { format: 'count' }) as number
const retained = () =>
  Object.entries(CLASSES).flatMap(([name, made]) => {
    const there = count(made)
    return there > 0 ? [`${there} × ${name}`] : []
  })

async function heapBytes(): Promise<number> {
  // Promises and finalizers run between two collections.
  for (let n = 0; n < 3; n++) {
    gc()
    await new Promise(setImmediate)
  }
  return process.memoryUsage().heapUsed
}

/** Runs calls with one seed and reports the leftovers. */
async function trial(seed: number, wanted: number, mostMs: number): Promise<SoakReport> {
  const before = { handles: handles(), files: openFiles() }
  const began = performance.now()
  const calls = await open(seed)
  const batch = Math.max(50, Math.floor(wanted / 20))
  const heap: { calls: number; bytes: number }[] = []
  const { relay, faults } = calls
  const most = { rooms: 0, replayFragments: 0, decoding: 0, decoders: 0, timersWhileIdle: 0 }
  let done = 0
  while (done < wanted && performance.now() - began < mostMs) {
    await calls.run(Math.min(batch, wanted - done))
    done += Math.min(batch, wanted - done)
    // Detects anything that only the next call would clear away.
    const timers = calls instanceof RoomCalls ? calls.clock.pending : 0
    const { replayFragments, decoding } = relay
    const decoders = mp3DecodersInUse()
    const now = { rooms: relay.rooms.size, replayFragments, decoding, decoders, timersWhileIdle: timers }
    for (const name of Object.keys(most) as (keyof typeof most)[])
      most[name] = Math.max(most[name], now[name])
    heap.push({ calls: done, bytes: await heapBytes() })
  }
  const left = retained()
  const one = new FakeLeg('one')
  const seesOne = count(FakeLeg) > 0 && !one.over
  await calls.close()
  const seconds = (performance.now() - began) / 1_000
  await heapBytes()
  const after = { handles: handles(), files: openFiles() }
  return {
    seed,
    calls: done,
    seconds,
    faults: Object.fromEntries(faults),
    sessions: relay.metrics.sessionsOpened,
    left,
    seesOne,
    ...most,
    timersAfterwards: calls instanceof RoomCalls ? calls.clock.pending : 0,
    before,
    after,
    heap,
  }
}

const [kind = 'rooms', seedsText = '', callsText, mostSecondsText] = process.argv.slice(2)
const open = (seed: number) => (kind === 'rooms' ? RoomCalls.open(seed) : StreamCalls.open(seed))
const seeds = seedsText.split(',').map(Number)

// Creates shared objects, like decoders and compiled code, before measuring.
const warm = await open(seeds[0]!)
await warm.run(200)
await warm.close()
await heapBytes()

for (const seed of seeds) {
  const report = await trial(seed, Number(callsText), Number(mostSecondsText) * 1_000)
  console.log(JSON.stringify(report))
  // Leftovers of one would also be found with all that follow.
  if (leftovers(report).length > 0) break
}
