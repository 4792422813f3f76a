import type { REST } from 'discord.js'
import type { CarrierApi } from '../../bridges/phone/carrier.ts'
import type { CarrierName } from '../../bridges/phone/carriers.ts'
import type { LanguageId } from '../../common/language.ts'
import type { Config } from '../../config/load.ts'
import type { LanguageEntry, VoiceEntry } from '../../service/contract.ts'
import type { ConfiguredEngine } from '../engines/configured-engines.ts'
import type { EngineTest } from '../engines/engine-test.ts'
import type { VoiceOptions } from './discord-voice.ts'
import type { FleetEnvironment } from './fleet-checks.ts'
import type { ProbeRequest, ProbeResult } from './http-probe.ts'
import type { ModelEnvironment } from './model-checks.ts'
import type { TestCallOrder, TestCallOutcome } from './test-call.ts'
import type { ExaminedAccount } from './twilio-checks.ts'

/**
 * Status of a webhook receiver’s response to HEAD; `local`: its name resolves to a private address, to which webhooks
 * are not sent; undefined: no response.
 */
export type ReceiverAnswer = number | 'local' | undefined

/** A translation service that was reached, or started for the checks. */
export interface ExaminedService {
  languages(): Promise<readonly LanguageEntry[]>
  voices(): Promise<readonly VoiceEntry[]>
  /** Opens a session and closes it. Rejects with a `ServiceClientError` if the service does not become ready. */
  session(from: LanguageId, to: LanguageId): Promise<void>
  close(): Promise<void>
}

/** Attributes that determine who can read a file. */
export interface FileAccess {
  readonly code: string | undefined
  /** User IDs. */
  readonly owner: number
  readonly folderOwner: number
  /** Permission bits. */
  readonly mode: number
}

/** Everything outside the settings that the doctor uses; tests provide their own. */
export interface DoctorEnvironment extends FleetEnvironment, ModelEnvironment {
  /** `24.21.0` */
  readonly nodeVersion: string
  /** Returns why a native library cannot be loaded; undefined if it can. */
  loadLibrary(name: string): Promise<string | undefined>
  /** Returns the first line of a program’s output; undefined if it cannot be run. */
  ask(command: string, args: readonly string[]): Promise<string | undefined>
  /** Returns the status of a GET request, without following redirects; undefined without a response. */
  statusOf(url: string, bearer: string | undefined): Promise<number | undefined>
  /** Returns the list of models of an OpenAI-compatible server; undefined if it has none. Never rejects. */
  modelsAt(url: string, bearer: string | undefined): Promise<unknown>
  /** Sends an engine of the settings one real request. Never rejects. */
  testEngine(engine: ConfiguredEngine): Promise<EngineTest>
  /** Returns the response of a webhook receiver; `local`: allow private network addresses. */
  receiver(url: string, local: boolean): Promise<ReceiverAnswer>
  exists(path: string): Promise<boolean>
  /** Returns the error code of a write into a folder, which is created if necessary; undefined on success. */
  unwritable(folder: string): Promise<string | undefined>
  /** Returns who can read the file, with the error code if this user cannot; undefined if it does not exist. */
  fileAccess(path: string): Promise<FileAccess | undefined>
  /** Lists a folder; empty if it does not exist. */
  list(folder: string): Promise<readonly string[]>
  /** Returns the configured service, or starts the embedded one. Rejects with a `BridgeError` if it does not start. */
  service(config: Config): Promise<ExaminedService>
  /** Returns the error code of listening there; undefined on success. */
  listen(host: string, port: number): Promise<string | undefined>
  /** Returns the account of `twilio.outbound`; undefined if it is not set. Rejects with a `BridgeError`. */
  twilioAccount(config: Config): Promise<ExaminedAccount | undefined>
  /** Returns the API of a carrier; undefined without its `outbound`. */
  carrierApi(config: Config, name: CarrierName): Promise<Pick<CarrierApi, 'account'> | undefined>
  /** Discord’s API with the bot token. */
  discord(settings: { readonly token: string; readonly apiUrl?: string | undefined }): Promise<REST>
  /** Returns the libraries for Discord voice. */
  voiceParts(): Promise<VoiceOptions>
  /** Returns true if a Dragoman server answers `GET /health` at this address. */
  isDragoman(url: string): Promise<boolean>
  /** Sends a request along Twilio’s route. */
  probe(order: Omit<ProbeRequest, 'withinMs'>): Promise<ProbeResult>
  /** Places a call, plays audio and listens. Throws for an unreadable recording. */
  testCall(order: TestCallOrder): Promise<TestCallOutcome>
  /** Returns the token with which a bridge without an account at `address` on this machine signs. */
  localToken(address: string): Promise<string | undefined>
}
