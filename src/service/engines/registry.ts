/**
 * All engines, one line each. The settings, the keys of providers, the creation, the documentation and the doctor follow
 * from what each file states.
 */
export { apertium } from './local/apertium/apertium.ts'
export { espeak } from './local/espeak.ts'
export { firefox } from './local/firefox/firefox-translator.ts'
export { pocketsphinx } from './local/pocketsphinx/pocketsphinx.ts'
export { sherpaTranscription } from './local/sherpa/sherpa-recognizer.ts'
export { sherpaSynthesis } from './local/sherpa/sherpa-synthesizer.ts'
export { assemblyAi } from './vendors/assemblyai.ts'
export { azureSynthesis, azureTranscription, azureTranslation } from './vendors/azure/azure.ts'
export { cartesia } from './vendors/cartesia.ts'
export { deepgram } from './vendors/deepgram.ts'
export { deepl } from './vendors/deepl.ts'
export { elevenLabs } from './vendors/elevenlabs.ts'
export { gemini } from './vendors/gemini.ts'
export { google } from './vendors/google.ts'
export { libreTranslate } from './vendors/libretranslate.ts'
export { openAiTranslation } from './vendors/openai/chat-translator.ts'
export { openAiSynthesis, openAiTranscription } from './vendors/openai/openai.ts'
export { openAiInterpretation, openAiLive } from './vendors/openai/realtime.ts'
export { sonioxInterpretation } from './vendors/soniox/interpreter.ts'
export { sonioxSynthesis, sonioxTranscription } from './vendors/soniox/soniox.ts'
