import { expect, test } from 'vitest'
import { settingsToExamine } from '../../../src/cli/doctor/doctor.ts'
import { localEnvironment } from '../../../src/cli/doctor/machine.ts'
import { ServiceClientError } from '../../../src/service/client/errors.ts'

test('the doctor starts the embedded service and opens a session', async () => {
  const config = settingsToExamine({ env: {} })
  if (config instanceof Error) throw config
  const service = await localEnvironment.service(config)
  try {
    const languages = await service.languages()
    const english = languages.find(entry => entry.languageId === 'en-us')
    const able = english?.transcription && english.translation.includes('es-es')
    const opened = service.session('en-us', 'es-es')
    if (able) await opened
    else await expect(opened).rejects.toBeInstanceOf(ServiceClientError)
  } finally {
    await service.close()
  }
})
