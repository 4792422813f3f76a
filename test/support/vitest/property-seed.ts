import fc from 'fast-check'
import { PROPERTY_SEED } from './seeds.ts'

/** Set-up of every test file: one seed for all properties without their own. */
fc.configureGlobal({ seed: PROPERTY_SEED })
