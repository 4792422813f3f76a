/** The Discord side: a voice server with its calls, and users who talk all the time. */
import { VoiceServer } from '../../src/simulator/discord/voice/voice-server.ts'
import { speech } from '../speech.ts'
import { BOT, benchChannels, type Open, type Report, type Reported, type Talk } from './channels.ts'

const [channels, speakers, dave] = process.argv.slice(2)
const server = await VoiceServer.listen({ dave: dave === 'dave' })
const calls = benchChannels(Number(channels), Number(speakers)).map(each => {
  const call = server.openCall(each.guildId, each.channelId)
  call.expect({ userId: BOT, sessionId: each.sessionId, token: each.token })
  return { call, users: each.users.map(userId => call.addUser(userId)) }
})
const voice = speech()

process.on('message', (message: Talk | Report) => {
  if (message.kind === 'report') return report()
  const samples = message.ms * 16
  const users = calls.flatMap(each => each.users)
  for (const [nth, user] of users.entries()) {
    const pcm = new Int16Array(samples)
    const from = Math.floor((voice.length * nth) / users.length)
    for (let at = 0; at < samples; at++) pcm[at] = voice[(from + at) % voice.length]!
    // Not all at the same moment, as in reality.
    setTimeout(() => void user.say(pcm), (nth * 20) / users.length)
  }
})
process.on('disconnect', () => process.exit(0))
const open: Open = { kind: 'open', endpoint: server.endpoint, certificate: server.certificate }
process.send?.(open)

function report(): void {
  const reported: Reported = { kind: 'reported', packets: 0, gaps: 0, broken: 0 }
  for (const { call } of calls) {
    const { packets, gaps, broken, undecryptable } = call.packetsFrom(BOT)
    reported.packets += packets
    reported.gaps += gaps
    reported.broken += broken + (dave === 'dave' ? undecryptable : 0)
  }
  process.send?.(reported)
}
