package browser

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// coreTests are tests of the modules without a DOM. Each returns what it has found.
var coreTests = map[string]struct{ script, want string }{
	// Records are displayed with a shortest and a longest gap, divided by the speed, and
	// states without one.
	"pace": {`import("/page/player.js").then(({ Player, shortestGap, longestGap }) => {
		const player = Object.assign(new Player(), { mode: "playing" }), at = (t, kind = "step") => ({ n: ++at.n, t, stage: "machine", kind });
		at.n = 0;
		player.push([at(0), at(1), at(2, "state"), at(60000)]);
		const due = [];
		for (let now = 1000; player.waitingCount; now += 10) while (player.take(now)) due.push(now);
		player.speed = 4;
		player.push([at(60001), at(60500)]);
		for (let now = due.at(-1); player.waitingCount; now += 1) while (player.take(now)) due.push(now);
		return JSON.stringify([shortestGap, longestGap, ...due.map((now, i) => now - (due[i - 1] ?? now))]);
	})`, "[180,1200,0,180,0,1200,45,125]"},
	// A pause is not made up for.
	"late": {`import("/page/player.js").then(({ Player }) => {
		const player = Object.assign(new Player(), { mode: "playing" });
		player.push([1, 2, 3].map((n) => ({ n, t: n, stage: "store", kind: "applied" })));
		player.take(0);
		return JSON.stringify([player.take(5000)?.n, player.take(5001)?.n ?? null, player.take(5180)?.n]);
	})`, "[2,null,3]"},
	// A paused player has bounded memory. It displays a snapshot at once only if it comes next.
	"bounded": {`import("/page/player.js").then(({ Player, mostWaiting }) => {
		const player = new Player();
		player.mode = "paused";
		player.push(Array.from({ length: mostWaiting + 500 }, (_, i) => ({ n: i + 1, t: i, stage: "store", kind: "applied" })));
		let taken = 0;
		while (player.take(0)) taken++;
		return JSON.stringify([taken, player.skipped, player.waitingCount === mostWaiting, player.behind]);
	})`, "[500,500,true,20000]"},
	// A replay begins with the log, and continues with the newer records that wait.
	"replay": {`import("/page/player.js").then(({ Player }) => {
		const player = new Player(), record = (n) => ({ n, t: n, stage: "store", kind: "applied" });
		player.push([1, 2, 3, 4, 5].map(record));
		player.take(0);
		player.replay({ n: 0, t: 0, stage: "snapshot" }, [1, 2, 3, 4].map(record));
		player.push([4, 5, 6].map(record));
		player.mode = "live";
		const numbers = [];
		for (let record; (record = player.take(1)); ) numbers.push(record.n);
		return JSON.stringify(numbers);
	})`, "[0,1,2,3,4,5,6]"},
	// The first keys of the store replace the known ones among them, and keep those after.
	"keys": {`import("/page/keyset.js").then(({ Keys }) => {
		const keys = new Keys();
		for (const key of ["d", "b", "x", "b", "c"]) keys.add(key);
		keys.delete("c");
		keys.delete("q");
		keys.learn(["a", "c"], 9);
		const partly = keys.sorted.join("");
		const found = [keys.find("x", 5).count, keys.find("", 2).keys.join("")];
		keys.learn(["a", "z"], 2);
		return JSON.stringify([partly, ...found, keys.sorted.join(""), keys.find("x", 5).count]);
	})`, `["acdx",1,"ac","az",0]`},
	// A key that is added while it is processed is dirty, and waits again afterwards.
	"queue": {`import("/page/state.js").then(({ State }) => {
		const state = new State(), steps = [];
		const apply = (stage, kind) => {
			state.apply({ n: 1, t: 1, stage, kind, key: "a" });
			const { waitingCount, processingCount, dirtyCount } = state.queue;
			steps.push([waitingCount, processingCount, dirtyCount].join(""));
		};
		for (const [stage, kind] of [["queue", "queued"], ["queue", "queued"], ["worker", "started"], ["queue", "queued"], ["worker", "ended"], ["worker", "started"], ["worker", "ended"]]) apply(stage, kind);
		return JSON.stringify(steps);
	})`, `["100","100","010","011","100","010","000"]`},
	// Records of unknown stages and kinds change nothing.
	"unknown": {`import("/page/state.js").then(({ State }) => {
		const state = new State();
		for (const [stage, kind] of [["constructor", "x"], ["fifo", "explode"], ["__proto__", "y"], ["new", "kind"]]) state.apply({ n: 1, t: 1, stage, kind });
		return JSON.stringify([state.entries.length, state.store.objects]);
	})`, `[4,0]`},
}

func TestVisualizerCores(t *testing.T) {
	t.Parallel()
	p := openVisualizer(t, tabOptions{}, runScriptedProgram(t, sampleSnapshot(3)).page)
	for name, c := range coreTests {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, eval[string](p, c.script))
		})
	}
}
