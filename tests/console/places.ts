/** Where the pages of the console are, for tests of what holds on each of them: an address for each route and tab. */
import type { Server } from './fixtures.ts';

const key = encodeURIComponent('{"pk":{"S":"a"},"sk":{"S":"b"}}');
const filter = encodeURIComponent(JSON.stringify(['AND', ['=', 'tags', 'SS', '["x"]'], ['OR', ['type', 'sk', 'S', 'S'], ['!between', 'sk', 'N', '1', 'x']]]));
const statement = encodeURIComponent('[["SELECT * FROM Music WHERE pk = ?",["S","a"]]]');

/** They show table Music with the item a, b. */
export const PLACES = [
  'tables', 'tables/new', 'tables/Music', 'tables/Music?tab=indexes', 'tables/Music?tab=sinks', 'tables/Music?tab=policy', 'tables/Music?tab=backups', 'tables/Music?tab=code',
  'explore', `explore/Music?mode=query&pk=a&sk=${encodeURIComponent('["between","a","c"]')}&filter=${filter}`, 'explore/Music?show=dynamodb', 'explore/Music?show=picture',
  `item/Music?key=${key}`, 'item/Music?new=1', 'picture/Music', 'partiql', `partiql?s=${statement}`, 'import?table=Music', 'export?table=Music', 'models', 'models/absent',
  'watch', 'watch?tab=keys&table=Music', 'watch?tab=jobs', 'watch?tab=stream&table=Music', 'any', 'any?operation=PutItem',
];

/** Table Music, with a stream, and its item. */
export async function makeMusic(server: Server): Promise<void> {
  await server.createTable('Music', { StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } });
  await server.putItems('Music', [{ pk: { S: 'a' }, sk: { S: 'b' }, tags: { SS: ['x'] }, long: { S: 'x'.repeat(200) } }]);
}
