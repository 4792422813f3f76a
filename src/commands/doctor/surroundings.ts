import type { REST } from 'discord.js'
import type { Config } from '../../config.ts'
import type { LanguageId } from '../../core/languages.ts'
import type { LanguageEntry, VoiceEntry } from '../../service/contract.ts'
import type { ExaminedAccount } from './account-checks.ts'
import type { Knock, KnockOrder } from './call/knock.ts'
import type { TestCallOrder, TestCallOutcome } from './call/test-call.ts'
import type { VoiceParts } from './discord-voice.ts'
import type { EngineChoice, EngineTrial } from './engine-trial.ts'
import type { ReceiverAnswer } from './receiver-probe.ts'

/** A translation service that was reached, or started for the time of the examination. */
export interface ExaminedService {
  languages(): Promise<readonly LanguageEntry[]>
  voices(): Promise<readonly VoiceEntry[]>
  /** Opens one session and closes it again. Rejects with a `ServiceFailure` when the service does not get ready. */
  session(from: LanguageId, to: LanguageId): Promise<void>
  close(): Promise<void>
}

/** What decides who may read a file. */
export interface FileAccess {
  readonly code: string | undefined
  /** Users by their numbers. */
  readonly owner: number
  readonly folderOwner: number
  /** Permission bits. */
  readonly mode: number
}

/** All that the doctor touches outside the settings; a test brings its own. */
export interface Surroundings {
  /** `24.21.0` */
  readonly nodeVersion: string
  /** The reason why a native library cannot be loaded; undefined when it can. */
  loadLibrary(name: string): Promise<string | undefined>
  /** First line of a program's answer; undefined when it cannot be run. */
  ask(command: string, args: readonly string[]): Promise<string | undefined>
  /** The status that a server answers to a GET, without following redirects; undefined when there is none. */
  statusOf(url: string, bearer: string | undefined): Promise<number | undefined>
  /** Has an engine of the settings do one real piece of work. Never rejects. */
  tryEngine(engine: EngineChoice): Promise<EngineTrial>
  /** What a receiver of webhooks answers; `local`: whether its name may lead into this machine's network. */
  receiver(url: string, local: boolean): Promise<ReceiverAnswer>
  exists(path: string): Promise<boolean>
  /** The code of the error when one tries to write into a folder, or to make it; undefined when one can. */
  unwritable(folder: string): Promise<string | undefined>
  /** Who may read the file, and the code of the error when this user cannot; undefined when there is no such file. */
  fileAccess(path: string): Promise<FileAccess | undefined>
  /** Names in a folder; none when there is no such folder. */
  list(folder: string): Promise<readonly string[]>
  /** The configured service, or the embedded one, started. Rejects with a `BridgeError` when that does not start. */
  service(config: Config): Promise<ExaminedService>
  /** The code of the error when one tries to listen there; undefined when one can. */
  listen(host: string, port: number): Promise<string | undefined>
  /** The account of `twilio.outbound`; undefined where none is set. Rejects with a `BridgeError`. */
  twilioAccount(config: Config): Promise<ExaminedAccount | undefined>
  /** Discord's API with the bot's token. */
  discord(settings: { readonly token: string; readonly apiUrl?: string | undefined }): Promise<REST>
  /** What voice at Discord stands on. */
  voiceParts(): Promise<VoiceParts>
  /** Whether a Dragoman answers `GET /health` below this address. */
  isDragoman(url: string): Promise<boolean>
  /** One request by the way that Twilio's take. */
  knock(order: Omit<KnockOrder, 'withinMs'>): Promise<Knock>
  /** Calls, speaks and listens. Throws for a recording that cannot be read. */
  testCall(order: TestCallOrder): Promise<TestCallOutcome>
  /** What a bridge without an account signs with, when it runs on this machine at `address`. */
  localToken(address: string): Promise<string | undefined>
}
