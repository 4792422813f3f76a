import type {
  CaptionSettings,
  ChannelEnd,
  ChannelInterpreter,
  ChannelSpeaker,
  ChannelStatus,
  Interpreters,
  OutputLanguages,
  Preferences,
  StartFailure,
  StartRequest,
} from '../../../src/bridges/discord/contract.ts'
import type { BridgeError } from '../../../src/common/errors.ts'
import type { DialOutcome } from '../../../src/core/model/dialer.ts'

/** A fake interpreted channel for commands; records the requests. */
export class FakeInterpreter implements ChannelInterpreter {
  readonly guildId: string
  readonly channelId: string
  readonly request: StartRequest
  readonly ended: Promise<ChannelEnd>
  readonly asked: string[] = []
  readonly call = Promise.withResolvers<DialOutcome>()
  refuse: BridgeError | undefined
  speakers: ChannelSpeaker[] = []
  change: Partial<ChannelStatus> = {}
  readonly startedAt = 0
  paused = false
  #output: OutputLanguages
  #captions: CaptionSettings
  readonly #ended = Promise.withResolvers<ChannelEnd>()

  constructor(request: StartRequest) {
    this.request = request
    this.guildId = request.guildId
    this.channelId = request.channelId
    this.ended = this.#ended.promise
    this.#output = request.output
    this.#captions = request.captions
  }

  status(): ChannelStatus {
    return {
      guildId: this.guildId,
      channelId: this.channelId,
      textChannelId: this.request.textChannelId,
      room: `discord ${this.channelId}`,
      sinceMs: 60_000,
      state: 'listening',
      encrypted: true,
      output: this.#output,
      spoken: ['en-us', 'es-es'],
      written: [],
      captions: this.#captions,
      speakers: this.speakers,
      unavailable: false,
      ...this.change,
    }
  }

  setLanguage(userId: string, language: string): void {
    this.asked.push(`language ${userId} ${language}`)
  }

  setOutput(output: OutputLanguages): void {
    this.#output = output
    this.asked.push(`output ${output}`)
  }

  async setCaptions(settings: CaptionSettings): Promise<void> {
    this.#captions = settings
    this.asked.push(`captions ${settings.style} ${settings.thread}`)
  }

  optOut(userId: string): void {
    this.asked.push(`opt-out ${userId}`)
  }

  optIn(userId: string): void {
    this.asked.push(`opt-in ${userId}`)
  }

  forget(userId: string): void {
    this.asked.push(`forget ${userId}`)
  }

  pause(by: string): boolean {
    this.asked.push(`pause ${by}`)
    const changed = !this.paused
    this.paused = true
    return changed
  }

  resume(): boolean {
    this.asked.push('resume')
    const changed = this.paused
    this.paused = false
    return changed
  }

  languageOf(): string {
    return 'es-es'
  }

  mayShow(participant: string): boolean {
    return participant !== 'opted out'
  }

  dial(to: string, language: string): { outcome: Promise<DialOutcome>; hangUp(): Promise<void> } {
    if (this.refuse) throw this.refuse
    this.asked.push(`dial ${to} ${language}`)
    return { outcome: this.call.promise, hangUp: async () => {} }
  }

  async invite(): Promise<{ code: string; minutes: number }> {
    if (this.refuse) throw this.refuse
    return { code: '482913', minutes: 60 }
  }

  async stop(by: string): Promise<ChannelEnd> {
    this.asked.push(`stop ${by}`)
    this.#ended.resolve({ kind: 'stopped', by })
    return this.ended
  }
}

export class FakeInterpreters implements Interpreters {
  readonly running = new Map<string, FakeInterpreter>()
  readonly requests: StartRequest[] = []
  /** Failure of subsequent starts. */
  fail: StartFailure | undefined
  /** Delays a start until it settles. */
  gate: Promise<unknown> = Promise.resolve()

  of(guildId: string): FakeInterpreter | undefined {
    return this.running.get(guildId)
  }

  async start(request: StartRequest): Promise<FakeInterpreter | StartFailure> {
    this.requests.push(request)
    await this.gate
    if (this.fail) return this.fail
    const interpreter = new FakeInterpreter(request)
    this.running.set(request.guildId, interpreter)
    void interpreter.ended.then(() => this.running.delete(request.guildId))
    return interpreter
  }
}

/** Preferences in memory. */
export class FakePreferences implements Preferences {
  readonly languages = new Map<string, { language: string; remembered: boolean }>()
  readonly out = new Set<string>()

  language(userId: string): string | undefined {
    return this.languages.get(userId)?.language
  }

  setLanguage(userId: string, language: string, remember: boolean): void {
    this.languages.set(userId, { language, remembered: remember })
  }

  optedOut(userId: string): boolean {
    return this.out.has(userId)
  }

  setOptedOut(userId: string, out: boolean): void {
    if (out) this.out.add(userId)
    else this.out.delete(userId)
  }

  async forget(userId: string): Promise<void> {
    this.languages.delete(userId)
    this.out.delete(userId)
  }

  about(userId: string): { language?: string; remembered: boolean; optedOut: boolean } {
    const known = this.languages.get(userId)
    return {
      ...(known ? { language: known.language } : {}),
      remembered: known?.remembered ?? false,
      optedOut: this.out.has(userId),
    }
  }
}
