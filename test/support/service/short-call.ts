import { FakeLeg } from '../../../simulator/fakes/fake-leg.ts'
import { relayOptions } from '../../../src/core/model/relay-settings.ts'
import { Relay } from '../../../src/core/room/relay.ts'
import { ServiceTranslator } from '../../../src/service/client/translator.ts'
import { LogLines } from '../log-lines.ts'
import { hello } from '../relay/hello.ts'
import { pause } from '../until.ts'

/** A call from English to Spanish to a service at `url`, for `ms`: returns the number of requests, and the log. */
export async function callFor(ms: number, url: string, apiKey = 'simulated-key') {
  const log = new LogLines()
  const translator = new ServiceTranslator({ url, apiKey })
  const relay = new Relay({ translator, options: relayOptions(), log })
  await relay.ready()
  const legs = [new FakeLeg('anna'), new FakeLeg('bob')]
  relay.admit(legs[0]!, { room: 'r', speaks: 'en-us', hears: 'en-us' })
  relay.admit(legs[1]!, { room: 'r', hears: 'es-es' })
  hello(legs[0]!)
  await pause(ms)
  await relay.close()
  return { log, metrics: relay.metrics }
}
