/** The media of the Discord bridge, unchanged: a link for each channel, a leg for each speaker, a voice that never stops. */
import type { DiscordGatewayAdapterCreator } from '@discordjs/voice'
import { LinkCounters } from '../../src/bridges/discord/counters.ts'
import { ChannelOutput, OutputPacer } from '../../src/bridges/discord/voice/channel-output.ts'
import type { OutputLeg } from '../../src/bridges/discord/voice/output-leg.ts'
import { SpeakerLeg } from '../../src/bridges/discord/voice/speaker-leg.ts'
import { VoiceLink } from '../../src/bridges/discord/voice/voice-link.ts'
import { systemClock, Ticker } from '../../src/common/clock.ts'
import { noopLogger } from '../../src/common/log.ts'
import { trust } from '../../src/simulator/discord/voice/certificate.ts'
import { FRAME_SAMPLES } from '../../src/transcode/pcm.ts'
import { speech } from '../speech.ts'
import { Samples } from '../stats.ts'
import { type BenchChannel, BOT, benchChannels, type Count, type Counted, type Open } from './channels.ts'

/** Lead over real time with which ears are given frames, as a playout does. */
const LEAD_FRAMES = 10
/** Later than this, slots were left out. */
const LEFT_OUT_MS = 60

const [channels, speakers, dave] = process.argv.slice(2)
const pacer = new OutputPacer(systemClock)
const counters = new LinkCounters()
const late = new Samples()
const voice = speech()
const feeds: { ear: OutputLeg; at: number; ahead: number }[] = []
let framesIn = 0
let began = 0

process.on('message', (message: Open | Count) => {
  if (message.kind === 'open') void join(message)
  else count()
})
process.on('disconnect', () => process.exit(0))

async function join({ endpoint, certificate }: Open): Promise<void> {
  trust(certificate)
  const links = await Promise.all(
    benchChannels(Number(channels), Number(speakers)).map(each => enter(each, endpoint)),
  )
  while (!links.every(({ playable }) => playable)) await new Promise(resolve => setTimeout(resolve, 50))
  new Ticker(systemClock, 20, feed)
  process.send?.({ kind: 'joined' })
}

async function enter(channel: BenchChannel, endpoint: string): Promise<VoiceLink> {
  const { guildId, channelId, users } = channel
  const link = new VoiceLink({
    ...{
      guildId,
      channelId,
      userId: BOT,
      dave: dave === 'dave',
      clock: systemClock,
      log: noopLogger,
      counters,
    },
    adapterCreator: library => adapter(library, channel, endpoint),
  })
  const end = await link.join()
  if (end) throw new Error(`channel ${channelId} is not available: ${JSON.stringify(end)}`)
  for (const userId of users) {
    const leg = new SpeakerLeg({ id: userId, userId, source: link, pacer, counters, log: noopLogger })
    leg.attach({ write: () => void framesIn++, marked: () => {}, dtmf: () => {} })
  }
  const out = new ChannelOutput({ id: channelId, player: timed(link), pacer, counters })
  const ear = out.openLeg('en-us')
  ear.attach({ write: () => {}, marked: () => {}, dtmf: () => {} })
  feeds.push({ ear, at: feeds.length * 16_000, ahead: LEAD_FRAMES })
  return link
}

/** The link, with a timestamp for each played slot: slots are 20 ms apart, starting from the first one. */
function timed(link: VoiceLink) {
  let due = Number.NaN
  return {
    get playable() {
      return link.playable
    },
    play(opus: Uint8Array) {
      link.play(opus)
      const now = performance.now()
      if (Number.isNaN(due)) due = now
      late.add(Math.max(0, now - due))
      // The grid restarts where slots were skipped; an early slot shows that the grid was late.
      due = (now - due > LEFT_OUT_MS ? now : Math.min(due, now)) + 20
    },
    setSpeaking: (on: boolean) => link.setSpeaking(on),
  }
}

function adapter(
  library: Parameters<DiscordGatewayAdapterCreator>[0],
  { guildId, channelId, sessionId, token }: BenchChannel,
  endpoint: string,
) {
  return {
    destroy: () => {},
    sendPayload: () => {
      setImmediate(() => {
        const where = { guild_id: guildId, channel_id: channelId, user_id: BOT, session_id: sessionId }
        library.onVoiceStateUpdate({ ...where, self_deaf: false, self_mute: false } as Parameters<
          typeof library.onVoiceStateUpdate
        >[0])
        library.onVoiceServerUpdate({ guild_id: guildId, token, endpoint })
      })
      return true
    },
  }
}

function feed(): void {
  for (const each of feeds) {
    for (; each.ahead > 0; each.ahead--) {
      each.at = (each.at + FRAME_SAMPLES) % (voice.length - FRAME_SAMPLES)
      each.ear.play(voice.subarray(each.at, each.at + FRAME_SAMPLES))
    }
    each.ahead = 1
  }
}

/** Returns the counts since the last call, and restarts them. */
function count(): void {
  const now = performance.now()
  const { p50, p99, max } = late.summary()
  const { packets, packetsOut, slotsMissed, starved, lost, undecryptable } = counters
  const counted: Counted = {
    kind: 'counted',
    ms: now - began,
    framesIn,
    packetsIn: packets,
    packetsOut,
    lateMs: { p50, p99, max },
    ...{ slotsMissed, starved, lost, undecryptable },
  }
  began = now
  framesIn = 0
  late.clear()
  Object.assign(counters, new LinkCounters())
  process.send?.(counted)
}
