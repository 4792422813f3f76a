import type * as Sdk from 'microsoft-cognitiveservices-speech-sdk'
import { type Clock, setTimer } from '../../../../common/clock.ts'
import { SAMPLE_RATE } from '../../../../transcode/pcm.ts'
import { CONNECT_TIMEOUT_MS, SocketFault, type SocketListener } from '../../wire/engine-socket.ts'
import type { LiveTransport } from '../../wire/live-protocol.ts'

/** A message of the SDK about the speech. Times are in the audio of the connection. */
export interface AzureMessage {
  readonly type: 'partial' | 'final'
  readonly text: string
  readonly startMs: number
  readonly endMs: number
  /** BCP 47, if languages are detected. */
  readonly language?: string | undefined
}

export interface AzureSessionOptions {
  readonly address: string
  readonly token: string
  /** Candidates in BCP 47: the first one only, unless `detect` is set. */
  readonly languages: readonly string[]
  readonly detect: boolean
  readonly terms: readonly string[]
  readonly pauseMs: number
}

/** Times of the SDK are in units of 100 ns. */
const TICKS_PER_MS = 10_000
/** The SDK repeats a failed connection itself; here, the stream does. */
const NO_RETRIES = '0'

/**
 * One recognition session by the SDK, as the connection of a stream: its events are the messages. The SDK has its own
 * WebSocket, whose protocol is not documented.
 */
export class AzureSession implements LiveTransport {
  readonly #recognizer: Sdk.SpeechRecognizer
  readonly #audio: Sdk.PushAudioInputStream
  readonly #connection: Sdk.Connection
  readonly #listener: SocketListener
  readonly #opened = Promise.withResolvers<void>()
  #started = false
  #early: AzureMessage[] = []
  #fault: SocketFault | undefined
  #over = false

  private constructor(sdk: typeof Sdk, session: AzureSessionOptions, listener: SocketListener) {
    this.#listener = listener
    this.#audio = sdk.AudioInputStream.createPushStream(
      sdk.AudioStreamFormat.getWaveFormatPCM(SAMPLE_RATE, 16, 1),
    )
    this.#recognizer = recognizerOf(sdk, session, this.#audio)
    this.#connection = sdk.Connection.fromRecognizer(this.#recognizer)
    this.#opened.promise.catch(() => {})
    this.#listen(sdk)
  }

  /** Connects; resolves when audio can be sent. Rejects with a `SocketFault`, also when `signal` aborts. */
  static async open(
    sdk: typeof Sdk,
    session: AzureSessionOptions,
    listener: SocketListener,
    clock: Clock,
    signal: AbortSignal,
  ): Promise<AzureSession> {
    const transport = new AzureSession(sdk, session, listener)
    const late = setTimer(clock, CONNECT_TIMEOUT_MS, () =>
      transport.#lost(new SocketFault(`no connection within ${CONNECT_TIMEOUT_MS} ms`, { passing: true })),
    )
    const stop = () => transport.#lost(new SocketFault('was stopped', { passing: false }))
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    try {
      transport.#recognizer.startContinuousRecognitionAsync(undefined, () =>
        transport.#lost(new SocketFault('cannot be reached', { passing: true })),
      )
      await transport.#opened.promise
      return transport
    } catch (error) {
      transport.close()
      throw error
    } finally {
      late[Symbol.dispose]()
      signal.removeEventListener('abort', stop)
    }
  }

  /** Does nothing: the SDK sends its own messages. */
  send(): void {}

  sendBinary(bytes: Uint8Array): void {
    // The SDK keeps what it cannot send at once, and callers reuse their buffers.
    if (!this.#over) this.#audio.write(bytes.slice().buffer)
  }

  start(): void {
    this.#started = true
    for (const message of this.#early.splice(0)) this.#listener.message(message)
    if (this.#fault && !this.#over) this.#end(this.#fault)
  }

  close(): void {
    if (this.#over) return
    this.#over = true
    this.#dispose()
  }

  #listen(sdk: typeof Sdk): void {
    const recognizer = this.#recognizer
    recognizer.sessionStarted = () => this.#opened.resolve()
    recognizer.recognizing = (_, { result }) => this.#heard('partial', result)
    recognizer.recognized = (_, { result }) => this.#heard('final', result)
    recognizer.canceled = (_, { errorCode, errorDetails }) =>
      this.#lost(faultOf(sdk.CancellationErrorCode[errorCode] ?? 'an error', errorDetails))
    this.#connection.disconnected = () =>
      this.#lost(new SocketFault('closed the connection', { passing: true }))
  }

  #heard(
    type: AzureMessage['type'],
    { text, offset, duration, language }: Sdk.SpeechRecognitionResult,
  ): void {
    if (this.#over) return
    const startMs = offset / TICKS_PER_MS
    // The text is undefined without speech.
    const message = {
      ...{ type, text: text ?? '', startMs, endMs: startMs + duration / TICKS_PER_MS },
      language: language || undefined,
    }
    if (this.#started) this.#listener.message(message)
    else this.#early.push(message)
  }

  #lost(fault: SocketFault): void {
    if (this.#over || this.#fault) return
    this.#fault = fault
    this.#opened.reject(fault)
    if (this.#started) this.#end(fault)
  }

  #end(fault: SocketFault): void {
    this.#over = true
    this.#dispose()
    this.#listener.closed(fault)
  }

  #dispose(): void {
    // First the connection: a recognizer that is closed connects again to send the end of the audio.
    const closed = () => {
      this.#connection.close()
      this.#recognizer.close(undefined, () => {})
      this.#audio.close()
    }
    this.#connection.closeConnection(closed, closed)
  }
}

function recognizerOf(
  sdk: typeof Sdk,
  { address, token, languages, detect, terms, pauseMs }: AzureSessionOptions,
  audio: Sdk.PushAudioInputStream,
): Sdk.SpeechRecognizer {
  // Otherwise it reports its latencies to Microsoft.
  sdk.Recognizer.enableTelemetry(false)
  const config = sdk.SpeechConfig.fromEndpoint(new URL(address))
  config.authorizationToken = token
  config.setProperty('SPEECH-Error-MaxRetryCount', NO_RETRIES)
  config.setProperty(sdk.PropertyId.Speech_SegmentationSilenceTimeoutMs, String(pauseMs))
  const input = sdk.AudioConfig.fromStreamInput(audio)
  const recognizer = () => {
    if (!detect) {
      config.speechRecognitionLanguage = languages[0]!
      return new sdk.SpeechRecognizer(config, input)
    }
    const candidates = sdk.AutoDetectSourceLanguageConfig.fromLanguages([...languages])
    candidates.mode = sdk.LanguageIdMode.Continuous
    return sdk.SpeechRecognizer.FromConfig(config, candidates, input)
  }
  const made = recognizer()
  if (terms.length > 0) sdk.PhraseListGrammar.fromRecognizer(made).addPhrases([...terms])
  return made
}

/** Cancellations that another attempt cannot help (SDK, `CancellationErrorCode`). */
const FINAL: readonly string[] = ['AuthenticationFailure', 'BadRequestParameters', 'Forbidden']

/** The details can contain the address with the token, and are not passed on. */
function faultOf(code: string, details: string | undefined): SocketFault {
  const status = Number(/server response: (\d{3})/.exec(details ?? '')?.[1]) || undefined
  const final = FINAL.includes(code) || status === 401 || status === 403
  const message = status === undefined ? `ended the session (${code})` : `answered ${status}`
  return new SocketFault(message, { passing: !final, code: status })
}

/** Tokens are valid for 10 minutes (guide "Authenticate requests"). */
const VALID_MS = 8 * 60_000
const PASSING_STATUS: readonly number[] = [408, 429]

/**
 * Short-lived tokens of a resource. The SDK sends credentials in the address, which proxies log: so it never gets the
 * key itself.
 */
export class AzureTokens {
  readonly #address: string
  readonly #apiKey: string
  readonly #clock: Clock
  #known: { readonly token: string; readonly until: number } | undefined

  constructor(address: string, apiKey: string, clock: Clock) {
    this.#address = address
    this.#apiKey = apiKey
    this.#clock = clock
  }

  /** Returns a token that is valid for at least two more minutes. Rejects with a `SocketFault`. */
  async get(signal: AbortSignal): Promise<string> {
    const known = this.#known
    if (known && known.until > this.#clock.now()) return known.token
    const until = this.#clock.now() + VALID_MS
    let response: Response
    try {
      const headers = { 'ocp-apim-subscription-key': this.#apiKey }
      response = await fetch(this.#address, { method: 'POST', headers, redirect: 'manual', signal })
      if (response.ok) {
        const token = (await response.text()).trim()
        this.#known = { token, until }
        return token
      }
      await response.body?.cancel()
    } catch (cause) {
      throw new SocketFault('cannot be reached', { passing: true, cause })
    }
    const { status } = response
    const passing = status >= 500 || PASSING_STATUS.includes(status)
    throw new SocketFault(`answered ${status}`, { passing, code: status })
  }

  /** The token was rejected: the next one is requested again. */
  forget(): void {
    this.#known = undefined
  }
}
