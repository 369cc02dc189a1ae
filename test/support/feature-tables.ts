import { features } from '../../src/features.ts'
import { type FeatureTables, listFeatureTables } from '../../src/store/storage/migration.ts'

export function featureTables(): Promise<FeatureTables[]> {
  return listFeatureTables(features)
}
