import type { Browser, Page } from 'playwright-core'
import { concat } from '../../../src/transcode/pcm.ts'
import { createResampler } from '../../../src/transcode/resample/resampler.ts'
import { ACTION_MS } from '../browser/browsers.ts'
import { watchFaults } from '../browser/page-faults.ts'

const EAR_WORKLET = `
  registerProcessor('ear', class extends AudioWorkletProcessor {
    block = new Int16Array(4800)
    filled = 0
    process([[heard]]) {
      for (let n = 0; n < 128; n++) {
        this.block[this.filled++] = Math.round((heard?.[n] ?? 0) * 32767)
        if (this.filled < this.block.length) continue
        this.port.postMessage(this.block)
        this.filled = 0
      }
      return true
    }
  })
`
/** Records the page’s output as a listener would: everything connected to the speakers. */
const EAR = `
  const connect = AudioNode.prototype.connect
  const ears = new WeakMap()
  window.heard = []
  const earOf = async context => {
    await context.audioWorklet.addModule(${JSON.stringify(`data:text/javascript,${encodeURIComponent(EAR_WORKLET)}`)})
    const ear = new AudioWorkletNode(context, 'ear')
    ear.port.onmessage = ({ data }) => window.heard.push(data)
    connect.call(ear, context.destination)
    return ear
  }
  AudioNode.prototype.connect = function (to, ...rest) {
    if (to instanceof AudioDestinationNode) {
      const { context } = this
      window.heardRate = context.sampleRate
      if (!ears.has(context)) ears.set(context, earOf(context))
      void ears.get(context).then(ear => connect.call(this, ear))
    }
    return connect.call(this, to, ...rest)
  }
`

/**
 * The same for Firefox, which cannot be told to ignore the policy of a page: it forbids modules that are not the page's.
 * The recording is Opus, so it is compared by its tones only.
 */
const FIREFOX_EAR = `
  const connect = AudioNode.prototype.connect
  const ears = new WeakMap()
  window.recorded = []
  const earOf = context => {
    const ear = context.createMediaStreamDestination()
    window.recorder = new MediaRecorder(ear.stream)
    window.recorder.ondataavailable = ({ data }) => window.recorded.push(data)
    window.recorder.start(200)
    return ear
  }
  AudioNode.prototype.connect = function (to, ...rest) {
    if (to instanceof AudioDestinationNode) {
      if (!ears.has(this.context)) ears.set(this.context, earOf(this.context))
      connect.call(this, ears.get(this.context))
    }
    return connect.call(this, to, ...rest)
  }
`
const FIREFOX_HEARD = `(async () => {
  const bytes = await new Blob(window.recorded).arrayBuffer()
  if (bytes.byteLength === 0) return [[], 16000]
  // A header alone is not sound yet.
  const sound = await new OfflineAudioContext(1, 1, 16000).decodeAudioData(bytes).catch(() => undefined)
  if (!sound) return [[], 16000]
  const pcm = Int16Array.from(sound.getChannelData(0), sample => Math.round(sample * 32767))
  const blocks = []
  for (let at = 0; at < pcm.length; at += 4800)
    blocks.push(btoa(String.fromCharCode(...new Uint8Array(pcm.slice(at, at + 4800).buffer))))
  return [blocks, 16000]
})()`

/** For `script`: responses of a browser without a microphone, and after permission was denied. */
export const withoutMicrophone = (name: 'NotFoundError' | 'NotAllowedError') =>
  `navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('', '${name}'))`

/** A microphone that captures only the test’s tone. */
export const WHISTLE = `
  navigator.mediaDevices.getUserMedia = async () => {
    const context = new AudioContext()
    const line = context.createMediaStreamDestination()
    window.whistle = (hz, ms) => {
      const from = new OscillatorNode(context, { frequency: hz })
      from.connect(new GainNode(context, { gain: 0.245 })).connect(line)
      from.start()
      from.stop(context.currentTime + ms / 1000)
    }
    return line.stream
  }
`

/** The recording as text: single numbers would take a busy machine seconds. */
const HEARD =
  '[window.heard.map(block => btoa(String.fromCharCode(...new Uint8Array(block.buffer)))), window.heardRate]'

export interface TalkPage {
  readonly page: Page
  readonly faults: string[]
  /** Audio sent by the server, in order. */
  sent(): Int16Array
  /** Audio played so far, at 16 kHz. */
  heard(): Promise<Int16Array>
  /** Texts of final captions. */
  finals(kind: 'original' | 'translation'): Promise<string[]>
}

/**
 * Opens `url` in a separate browser; `script` runs before the page’s own; without `ear` nothing is recorded, and the
 * page’s policy applies.
 */
export async function talkPage(
  browser: Browser,
  url: string,
  {
    script = '',
    ear = true,
    usable = true,
    ...options
  }: {
    script?: string
    ear?: boolean
    /** False: the page cannot start a call. */
    usable?: boolean
    colorScheme?: 'dark' | 'light'
    viewport?: { width: number; height: number }
    locale?: string
  } = {},
): Promise<TalkPage> {
  const context = await browser.newContext({
    locale: 'en-US',
    // The recorder is not part of the page, whose policy would block it.
    bypassCSP: ear,
    ...options,
  })
  const page = await context.newPage()
  page.setDefaultTimeout(ACTION_MS)
  const faults = watchFaults(page, new URL(url).origin)
  const sent: Int16Array[] = []
  page.on('websocket', socket =>
    socket.on('framereceived', ({ payload }) => {
      if (typeof payload !== 'string') sent.push(new Int16Array(new Uint8Array(payload).slice(8).buffer))
    }),
  )
  const firefox = browser.browserType().name() === 'firefox'
  await page.addInitScript((ear ? (firefox ? FIREFOX_EAR : EAR) : '') + script)
  await page.goto(url)
  if (usable) await page.locator('#start:enabled').waitFor()
  return {
    ...{ page, faults },
    sent: () => concat(sent),
    async heard() {
      const [blocks, rate] = (await page.evaluate(firefox ? FIREFOX_HEARD : HEARD)) as [string[], number]
      const pcm = concat(
        blocks.map(block => new Int16Array(new Uint8Array(Buffer.from(block, 'base64')).buffer)),
      )
      const resampler = createResampler(rate, 16_000)
      return Int16Array.from([...resampler.process(pcm), ...resampler.flush()])
    },
    finals: kind => page.locator(`.said:not(.draft) .${kind}`).allTextContents(),
  }
}

/** The pitch of a voice (Hz): the median over its loud 40 ms stretches. */
export function pitchOf(pcm: Int16Array): number {
  const found: number[] = []
  for (let at = 0; at + 1_280 <= pcm.length; at += 640) {
    const piece = pcm.subarray(at, at + 1_280)
    let energy = 0
    for (let n = 0; n < 640; n++) energy += piece[n]! ** 2
    if (energy < 640 * 800 ** 2) continue
    let best = 0
    let lag = 0
    for (let by = 40; by <= 228; by++) {
      let dot = 0
      let other = 0
      for (let n = 0; n < 640; n++) {
        dot += piece[n]! * piece[n + by]!
        other += piece[n + by]! ** 2
      }
      const similarity = dot / (Math.sqrt(energy * other) || 1)
      if (similarity > best) {
        best = similarity
        lag = by
      }
    }
    if (best > 0.7) found.push(16_000 / lag)
  }
  found.sort((a, b) => a - b)
  return found[found.length >> 1] ?? 0
}

/** Returns what the page played, as a phone receives it (8 kHz), which is how tones are looked for. */
export async function heardBy({ heard }: TalkPage): Promise<Int16Array> {
  return createResampler(16_000, 8_000)
    .process(await heard())
    .slice()
}

/** Starts a call alone, in which the speaker hears themselves in Spanish. */
export async function startEcho(page: Page): Promise<void> {
  await page.click('#echo-card summary')
  await page.selectOption('#echo-in', 'es-es')
  await page.click('#echo')
}
