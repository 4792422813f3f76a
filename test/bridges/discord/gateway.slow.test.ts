import { describe, expect, test } from 'vitest'
import {
  begun,
  into,
  narrow,
  type Parlour,
  parlour,
  totalMs,
} from '../../support/e2e/discord-call-harness.ts'
import { times } from '../../support/e2e/phone-listener.ts'
import { CALLEE, noticeHz, VOICE } from '../../support/e2e/two-party-harness.ts'
import { until } from '../../support/until.ts'

const [ANA, BEN] = [VOICE.callee, VOICE.caller]
const PATIENCE_MS = 20_000

function session(casa: Parlour) {
  return until(
    () => casa.x.service.sessions.find(({ from, heardMs }) => from === 'es-es' && heardMs > 0),
    PATIENCE_MS,
    'the session of Ana',
  )
}

const resumes = ({ discord }: Parlour) => discord.sessions.reduce((sum, each) => sum + each.resumes, 0)

/** Resolves when a session exists again after another resume; returns its duration (ms). */
async function resumed(casa: Parlour, fault: () => void): Promise<number> {
  const before = resumes(casa)
  const at = performance.now()
  fault()
  await until(() => resumes(casa) > before, PATIENCE_MS, 'a resume')
  await until(() => casa.discord.sessions.at(-1)?.connected, PATIENCE_MS, 'the connection')
  return performance.now() - at
}

test.concurrent('the main gateway disconnects in every way, and no speech is lost', async () => {
  await using casa = await parlour({
    dave: false,
    service: { record: true },
    standIn: { gatewayHeartbeatMs: 1_000 },
  })
  const ana = await casa.person('Ana', 'es-ES')
  const ben = await casa.person('Ben', 'en-US')
  await begun(casa, ana, ben)
  const { gateway } = casa.discord.faults
  const saying = casa.say(ana, ANA, 9_000)
  const heard = await session(casa)
  const tookMs: Record<string, number> = {}
  tookMs['op 7'] = await resumed(casa, () => gateway.reconnect())
  for (const code of [4000, 4001, 4002]) tookMs[code] = await resumed(casa, () => gateway.close(code))
  gateway.refuseResumeUrl = true
  setTimeout(() => {
    gateway.refuseResumeUrl = false
  })
  tookMs['no address for resuming'] = await resumed(casa, () => gateway.drop())
  gateway.ignoreHeartbeats = true
  tookMs['no answer to a heartbeat'] = await resumed(casa, () => {})
  gateway.ignoreHeartbeats = false
  await saying
  await until(() => heard.heardMs >= 9_000, PATIENCE_MS, 'all of the voice')
  expect(totalMs(narrow(heard.pcm), ANA, 60)).toBeGreaterThan(8_700)
  await casa.heard(into(ANA, 'en-us'), 1_000)
  expect(casa.discord.sessions.length).toBe(1)
  expect(Math.max(...Object.values(tookMs))).toBeLessThan(15_000)
})

test.concurrent('an invalid session: the bot rejoins, and speech is translated again', async () => {
  await using casa = await parlour()
  const ana = await casa.person('Ana', 'es-ES')
  const ben = await casa.person('Ben', 'en-US')
  await begun(casa, ana, ben)
  const { gateway } = casa.discord.faults
  const channel = casa.x.app.discord?.interpreters.of(casa.sala.guild.id)
  for (const code of [undefined, 4003, 4009]) {
    const sessions = casa.discord.sessions.length
    gateway.refuseResume = true
    if (code === undefined) gateway.invalidSession(false)
    else gateway.close(code)
    await until(() => casa.discord.sessions.length > sessions, PATIENCE_MS, 'a new session')
    await until(
      () => casa.sala.call.connected(casa.discord.bot.id) && channel?.status().state === 'listening',
      PATIENCE_MS,
      'the voice channel',
    )
  }
  await until(() => channel?.status().encrypted, PATIENCE_MS, 'the encryption')
  await casa.say(ben, BEN, 1_500)
  await casa.heard(into(BEN, 'es-es'), 1_000)
  await casa.reads('Ben', '`es`')
})

test.concurrent('the token is revoked: the phone is notified and hung up, and the bot does not retry', async () => {
  await using casa = await parlour({ dave: false })
  const { owner } = casa.sala.guild
  await owner.join(casa.sala)
  await owner.command('interpret language', { language: 'en-us' })
  await owner.command('interpret start')
  await owner.command('interpret dial', { number: CALLEE, language: 'es-es' })
  const phone = await casa.x.callee.call(1)
  await until(
    () => casa.x.events.dial.some(({ outcome }) => outcome === 'answered'),
    PATIENCE_MS,
    'an answer',
  )
  await casa.heard(noticeHz('phone-joined', 'en'), 100)
  casa.discord.faults.gateway.refuseIdentify = 4004
  casa.discord.faults.gateway.close(4004)
  await until(
    () => times(phone.heard(), noticeHz('other-left', 'es')) === 1,
    PATIENCE_MS,
    'a word on the phone',
  )
  await phone.ended
  await until(() => casa.x.app.relay.rooms.size === 0, PATIENCE_MS, 'the end of the room')
  expect(casa.x.app.discord?.state).toEqual({ kind: 'refused', why: 'token' })
  expect(casa.discord.sessions.length).toBe(1)
})

describe.concurrent('Discord loses the server for a while', () => {
  test('voices continue; if they are interrupted, the phone is notified of the start and end', async () => {
    await using casa = await parlour({ dave: false })
    const { guild, call } = casa.sala
    const { owner } = guild
    await owner.join(casa.sala)
    await owner.command('interpret language', { language: 'en-us' })
    await owner.command('interpret start')
    await owner.command('interpret dial', { number: CALLEE, language: 'es-es' })
    const phone = await casa.x.callee.call(1)
    await until(
      () => casa.x.events.admitted.some(({ channel }) => channel === 'twilio'),
      PATIENCE_MS,
      'the phone in the room',
    )
    guild.goDown()
    await casa.say(owner, BEN, 1_500)
    await until(() => times(phone.heard(), into(BEN, 'es-es')) === 1, PATIENCE_MS, 'the translation')
    call.forget(guild.bot.id)
    const told = (name: 'channel-unavailable' | 'channel-back') =>
      until(() => times(phone.heard(), noticeHz(name, 'es')) === 1, PATIENCE_MS, name)
    await told('channel-unavailable')
    guild.comeBack()
    await told('channel-back')
    await casa.say(owner, BEN, 1_500)
    await until(() => times(phone.heard(), into(BEN, 'es-es')) === 2, PATIENCE_MS, 'the next translation')
  })
})
