import { afterAll, beforeAll } from 'vitest'
import { trust } from '../../../simulator/discord/voice/certificate.ts'
import type { VoiceCall } from '../../../simulator/discord/voice/voice-call.ts'
import { VoiceServer, type VoiceServerOptions } from '../../../simulator/discord/voice/voice-server.ts'
import { GUILD, RealBot, type RealBotOptions } from './library-voice-bot.ts'

/** A trusted voice server for the tests of one block, and separate calls on it. */
export class Calls {
  #server: VoiceServer | undefined
  #last = 500_000_000_000_000_000n

  constructor(options: VoiceServerOptions = {}) {
    let trusted: Disposable | undefined
    beforeAll(async () => {
      this.#server = await VoiceServer.listen(options)
      trusted = trust(this.#server.certificate)
    })
    afterAll(async () => {
      await this.#server?.close()
      trusted?.[Symbol.dispose]()
    })
  }

  get server(): VoiceServer {
    if (!this.#server) throw new Error('the tests have not started')
    return this.#server
  }

  open(): VoiceCall {
    return this.server.openCall(GUILD, String(++this.#last))
  }

  /** An expected bot that is connecting. */
  bot(call: VoiceCall, options: RealBotOptions = {}): RealBot {
    const token = `token ${call.channelId}`
    const bot = new RealBot(() => this.server.endpoint, call, { token, ...options })
    call.expect({ userId: bot.userId, sessionId: 'session', token })
    return bot
  }

  async join(options: RealBotOptions = {}): Promise<{ call: VoiceCall; bot: RealBot }> {
    const call = this.open()
    const bot = this.bot(call, options)
    await bot.ready()
    return { call, bot }
  }
}
