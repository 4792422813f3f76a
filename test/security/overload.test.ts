import { expect, test } from 'vitest'
import { FakeClock } from '../../simulator/fakes/fake-clock.ts'
import { TwilioSimulator } from '../../simulator/index.ts'
import { sign } from '../../src/bridges/phone/twilio/index.ts'
import { guarded, KEY, PUBLIC, ringing, TOKEN } from '../support/security/guarded.ts'

const resumeUrl = (twiml: string) =>
  (/<Redirect method="POST">([^<]+)</.exec(twiml)?.[1] ?? '').replaceAll('&amp;', '&')

test('short of memory: new callers hear that all lines are busy, programs receive Retry-After, and current calls resume', async () => {
  let share = 0.1
  const clock = new FakeClock()
  await using twilio = await TwilioSimulator.listen({})
  const outbound = {
    accountSid: twilio.accountSid,
    authToken: twilio.authToken,
    apiUrl: twilio.url,
    from: '+15005550001',
    allowedPrefixes: ['+34'],
  }
  const { app, port, webhook } = await guarded(
    { languages: { speaks: 'es-es', hears: 'es-es' }, twilio: { authToken: [TOKEN], outbound } },
    { clock, memoryShare: () => share },
  )
  const before = await (await webhook('voice', ringing('CA1'))).text()
  expect(before).toContain('<Stream')
  share = 0.95
  clock.advance(2_000)

  const rejected = await (await webhook('voice', ringing('CA2'))).text()
  expect(rejected).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><Response><Say language="es-ES">Todas las líneas están ocupadas. Inténtelo más tarde.</Say><Hangup/></Response>',
  )
  const url = resumeUrl(before)
  const fields = { ...ringing('CA1'), CallStatus: 'in-progress' }
  const resumed = await fetch(url.replace(PUBLIC, `http://127.0.0.1:${port}`), {
    method: 'POST',
    headers: { 'x-twilio-signature': sign(TOKEN, url, fields) },
    body: new URLSearchParams(fields),
  })
  expect(await resumed.text()).toContain('<Stream')
  // Even a call that another instance had admitted.
  const others = { ...ringing('CA9'), CallStatus: 'in-progress' }
  const handedOver = await fetch(url.replace(PUBLIC, `http://127.0.0.1:${port}`), {
    method: 'POST',
    headers: { 'x-twilio-signature': sign(TOKEN, url, others) },
    body: new URLSearchParams(others),
  })
  expect(await handedOver.text()).toContain('<Stream')

  const created = await fetch(`http://127.0.0.1:${port}/v1/rooms`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'desk' }),
  })
  expect(created.status).toBe(201)
  const place = () =>
    fetch(`http://127.0.0.1:${port}/v1/rooms/desk/calls`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ to: '+34600111222', speaks: 'es-es', hears: 'es-es' }),
    })
  const refused = await place()
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  expect(await refused.json()).toMatchObject({ error: 'capacity' })
  expect(twilio.requests).toEqual([])
  expect(app.overload.rejected).toBe(2)

  share = 0.1
  clock.advance(5_000)
  expect(await (await webhook('voice', ringing('CA2'))).text()).toContain('<Stream')
})
