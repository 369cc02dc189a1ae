import { features } from '../../src/features.ts'
import { listFeatureTables } from '../../src/store/storage/migration.ts'

export const featureTables = await listFeatureTables(features)
