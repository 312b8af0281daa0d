package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// The playback controls act on the display: records wait while it is paused, are
// displayed one by one with Step, and at once with Live.
func TestVisualizerPlayback(t *testing.T) {
	t.Parallel()
	program := runScriptedProgram(t, sampleSnapshot(20))
	p := openVisualizer(t, tabOptions{}, program.page)
	require.Equal(t, "Live: each record is displayed when it arrives. Press Live again to see them one by one.", p.visibleText("position"))
	require.Equal(t, "true", eval[string](p, `document.getElementById("live").getAttribute("aria-pressed")`))
	p.click("pause")
	p.waitFor(has("position", "Paused. The program continues to run."))
	require.Equal(t, "Play", p.visibleText("pause"))
	program.send(lifeOf("shop/parrot", "32", `{"resourceVersion":"32"}`)...)
	p.waitFor(has("position", "Paused: 0.1 s behind, 13 records waiting."))
	require.False(t, eval[bool](p, has("stages", "parrot")))

	p.click("step") // the chunk
	p.waitFor(has("position", "12 records") + " && " + has("socket", `{"resourceVersion":"32"}`))
	require.Equal(t, "socket", eval[string](p, `document.querySelector("#flow .current").dataset.id`))
	p.click("step") // the decision
	p.click("step") // the delta names the key of both
	p.waitFor(has("position", "10 records") + " && " + has("fifo", "shop/parrotAdded"))
	chips := `[...document.querySelectorAll('.chip[data-key="shop/parrot"]')].map(e => e.closest(".card")?.id ?? "flow").join()`
	require.Equal(t, "flow,flow,flow,socket,machine,fifo", eval[string](p, chips))
	require.Equal(t, 1, eval[int](p, `new Set([...document.querySelectorAll('.chip[data-key="shop/parrot"]')].map(e => getComputedStyle(e).borderLeftColor)).size`), "the key has several colours")

	p.set("#speed", "8")
	p.click("pause")
	p.waitFor(has("position", "Playing: nothing waits.") + " && " + has("worker", "shop/parrot rendered"))
	p.waitFor(has("request", "shop/parrot 200"))

	// Slow playback falls behind, and Live catches up.
	p.set("#speed", "0.25")
	program.send(lifeOf("shop/cabin", "33", "")...)
	program.send(lifeOf("shop/crab", "34", "")...)
	p.waitFor(`/^Playing: 0\.[0-9] s behind, [0-9]+ records waiting\.$/.test(document.getElementById("position").textContent)`)
	p.click("live")
	p.waitFor(has("position", "Live: ") + " && " + has("worker", "shop/crab rendered"))
	require.Equal(t, "true", eval[string](p, `document.getElementById("live").getAttribute("aria-pressed")`))

	// A replay begins with the snapshot of the log.
	program.mu.Lock()
	program.timeline = numbered(lifeOf("shop/abacus", "31", ""))
	program.mu.Unlock()
	p.set("#speed", "8")
	p.click("replay")
	p.waitFor(has("worker", "shop/abacus rendered") + " && " + has("position", "nothing waits"))
	require.False(t, eval[bool](p, has("worker", "crab")))
}

// Keys, values and texts of the server are displayed, and are never markup.
func TestVisualizerEscapes(t *testing.T) {
	t.Parallel()
	const evil = `<img src=x onerror=window.bad=1>`
	snapshot := sampleSnapshot(3)
	snapshot["store"].(record)["keys"] = []string{"shop/" + evil}
	snapshot["store"].(record)["indexes"] = []record{{"name": evil, "count": 1, "values": []record{{"value": evil, "objects": 1}}}}
	snapshot["handlers"] = []record{{"name": evil, "position": 1, "pending": 1}}
	snapshot["machine"] = record{"phase": evil, "mode": evil, "version": evil, "error": evil, "relists": 1, "relistReason": evil}
	snapshot["server"].(record)["resource"] = "configmaps " + evil
	snapshot["controls"] = append(snapshot["controls"].([]record), record{"name": evil, "available": false, "reason": evil, "parameters": []record{{"name": evil, "default": evil}}})
	program := runScriptedProgram(t, snapshot)
	program.timeline = numbered(lifeOf("shop/"+evil, evil, evil))
	p := openVisualizer(t, tabOptions{}, program.page)
	records := lifeOf("shop/"+evil, evil, evil)
	records[len(records)-1]["error"] = evil
	program.send(append(records, record{"stage": evil, "kind": evil, "text": evil}, record{"stage": "control", "kind": "used", "name": evil, "text": evil})...)
	p.waitFor(has("log", "<img src=x onerror=window.bad=1>: <img"))
	p.set("#key", "shop/"+evil)
	p.click("show-timeline")
	p.waitFor(`document.querySelectorAll("#timeline li").length > 9`)
	require.False(t, eval[bool](p, `"bad" in window`))
	require.Equal(t, 0, eval[int](p, `document.querySelectorAll("img, script:not([src])").length`))
	require.True(t, eval[bool](p, has("store", evil)+" && "+has("handler", evil)+" && "+has("timeline", evil)))
	require.Equal(t, 0, eval[int](p, `[...document.querySelectorAll("a")].filter(a => a.protocol === "javascript:").length`))
}

// Controls that the program does not permit are disabled, with the reason as text.
func TestVisualizerReadOnly(t *testing.T) {
	t.Parallel()
	snapshot := sampleSnapshot(3)
	snapshot["server"] = record{"embedded": false, "host": "cluster.example", "namespace": "", "resource": "configmaps", "write": false}
	snapshot["controls"] = []record{
		{"name": "create", "available": false, "reason": "-", "reasonCode": "readOnly", "parameters": []record{}},
		{"name": "cut", "available": true, "parameters": []record{}},
		{"name": "away", "available": false, "reason": "-", "reasonCode": "cluster", "parameters": []record{}},
	}
	p := openVisualizer(t, tabOptions{}, runScriptedProgram(t, snapshot).page)
	require.Equal(t, "configmaps in all namespaces of cluster.example. Read only.", p.visibleText("connection"))
	p.waitFor(has("control-create", "Create"))
	require.Equal(t, "true false true", eval[string](p, `["create", "cut", "away"].map(n => document.getElementById("control-" + n).disabled).join(" ")`))
	reason := `(n => document.getElementById(document.getElementById("control-" + n).getAttribute("aria-describedby")).textContent)`
	require.Contains(t, eval[string](p, reason+`("create")`), "start it with -write")
	require.Contains(t, eval[string](p, reason+`("away")`), "only with the embedded server")
}

// Both languages have the same texts with the same values, and the page uses every one.
func TestVisualizerLanguages(t *testing.T) {
	t.Parallel()
	program := runScriptedProgram(t, sampleSnapshot(20))
	p := newTab(t, tabOptions{})
	// The page reads the languages of the browser.
	call(p, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: `Object.defineProperty(navigator, "languages", { get: () => ["fr", "zh-CN", "en"] })`,
	})
	p.open(program.page)
	p.waitFor(has("connection", "内嵌的 API server，namespace shop 中的 configmaps"))
	require.Equal(t, "zh-Hans", eval[string](p, `document.documentElement.lang`))
	p.screenshot("visualizer/chinese", true)
	different := eval[[]string](p, `import("/page/strings.js").then(({ strings: { en, zh } }) => [...new Set([...Object.keys(en), ...Object.keys(zh)])].filter(name => {
		const values = (text) => [...new Set((text ?? "missing {x}").match(/\{\w+\}/g))].sort().join();
		return !en[name] || !zh[name] || values(en[name]) !== values(zh[name]);
	}))`)
	require.Empty(t, different)

	// Everything that is displayed changes with the language, and nothing is left.
	p.set("#language", "en")
	p.waitFor(has("connection", "configmaps in namespace shop of the embedded server"))
	require.NotRegexp(t, `\p{Han}`, strings.ReplaceAll(eval[string](p, `document.body.innerText`), "中文", ""), "a text is not translated")
	require.Equal(t, "en", eval[string](p, `document.documentElement.lang`))
	// The choice is kept.
	p.open(program.page)
	p.waitFor(has("connection", "embedded server"))
}

// The theme is that of the system, or the chosen one.
func TestVisualizerTheme(t *testing.T) {
	t.Parallel()
	p := openVisualizer(t, tabOptions{dark: true}, runScriptedProgram(t, sampleSnapshot(3)).page)
	background := `getComputedStyle(document.body).backgroundColor`
	require.Equal(t, "rgb(16, 20, 24)", eval[string](p, background))
	p.set("#theme", "light")
	require.Equal(t, "rgb(246, 247, 249)", eval[string](p, background))
	p.set("#theme", "dark")
	require.Equal(t, "rgb(16, 20, 24)", eval[string](p, background))
}

// With reduced motion nothing moves. The stage that a record has reached is marked.
func TestVisualizerReducedMotion(t *testing.T) {
	t.Parallel()
	for _, reduced := range []bool{false, true} {
		program := runScriptedProgram(t, sampleSnapshot(3))
		p := openVisualizer(t, tabOptions{reducedMotion: reduced}, program.page)
		program.send(lifeOf("shop/parrot", "32", "")...)
		p.waitFor(has("worker", "rendered"))
		require.Equal(t, reduced, eval[bool](p, `getComputedStyle(document.querySelector(".moved-a, .moved-b")).animationName === "none"`))
		require.Equal(t, "worker", eval[string](p, `document.querySelector("#flow .current").dataset.id`))
	}
}

// The page can be used with the keyboard alone: all controls are reached in the order of
// the page and show the focus, and shortcuts do not take keys from inputs.
func TestVisualizerByKeyboard(t *testing.T) {
	t.Parallel()
	program := runScriptedProgram(t, sampleSnapshot(20))
	p := openVisualizer(t, tabOptions{}, program.page)
	var reached []string
	for range 24 {
		p.press(kb.Tab)
		reached = append(reached, eval[string](p, `document.activeElement.id || document.activeElement.name || document.activeElement.textContent`))
		require.NotEqual(t, "none", eval[string](p, `getComputedStyle(document.activeElement).outlineStyle`), reached)
	}
	require.Equal(t, "Skip to the stages,language,theme,help,pause,step,speed,live,replay,"+
		"Socket,Reflector,DeltaFIFO,Indexer,Handlers,Work queue,Workers,Requests,"+
		"name,control-create,control-cut,key,show-timeline,Chapter,window.go", strings.Join(reached, ","))

	p.press("/")
	require.Equal(t, "search", eval[string](p, `document.activeElement.id`))
	p.set("#search", "")
	p.press("l") // text of the input, not the shortcut
	require.Equal(t, "l true", eval[string](p, `document.activeElement.value + " " + document.getElementById("live").getAttribute("aria-pressed")`))
	eval[bool](p, `(document.activeElement.blur(), true)`)
	p.press("l")
	p.waitFor(`document.getElementById("live").getAttribute("aria-pressed") === "false"`)
	p.press(" ")
	p.waitFor(has("position", "Paused"))
	program.send(lifeOf("shop/parrot", "32", "")...)
	p.waitFor(has("position", "13 records"))
	p.press("n")
	p.waitFor(has("position", "12 records"))
	p.press("+")
	require.Equal(t, "2", eval[string](p, `document.getElementById("speed").value`))
	p.press("6")
	require.Equal(t, "queue", eval[string](p, `document.activeElement.id`))

	// The list of the shortcuts, and the choice not to have them.
	p.press("?")
	p.waitFor(`document.getElementById("keys").open`)
	p.screenshot("visualizer/shortcuts", false)
	eval[bool](p, `(document.getElementById("use-shortcuts").focus(), true)`)
	p.press(" ")
	p.press(kb.Escape)
	p.waitFor(`!document.getElementById("keys").open`)
	p.press("l")
	require.True(t, eval[bool](p, has("position", "Paused")))
}

// A hidden page follows the program in live mode without drawing, and a paused one keeps
// its place.
func TestVisualizerHidden(t *testing.T) {
	t.Parallel()
	program := runScriptedProgram(t, sampleSnapshot(3))
	p := openVisualizer(t, tabOptions{}, program.page)
	setHidden := `(hidden => {
		Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
		document.dispatchEvent(new Event("visibilitychange"));
		return true;
	})`
	p.waitFor(has("position", "Live: "))
	eval[bool](p, setHidden+`(true)`)
	program.send(lifeOf("shop/parrot", "32", "")...)
	eval[bool](p, `new Promise(done => setTimeout(done, 300, true))`)
	require.False(t, eval[bool](p, has("worker", "parrot")))
	eval[bool](p, setHidden+`(false)`)
	p.waitFor(has("worker", "shop/parrot rendered"))
	p.click("pause")
	p.waitFor(has("position", "Paused"))
	eval[bool](p, setHidden+`(true)`)
	program.send(lifeOf("shop/crab", "33", "")...)
	eval[bool](p, setHidden+`(false)`)
	p.waitFor(has("position", "13 records waiting"))
}
