package browser

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// openVisualizer opens a page, and waits until it displays a snapshot.
func openVisualizer(t *testing.T, o tabOptions, page string) *tab {
	t.Helper()
	p := newTab(t, o)
	p.open(page)
	p.waitFor(`document.getElementById("connection").textContent.includes("configmaps")`)
	return p
}

// click clicks on an element.
func (p *tab) click(id string) {
	p.t.Helper()
	eval[bool](p, `(document.getElementById("`+id+`").click(), true)`)
}

// set changes the value of an input.
func (p *tab) set(selector, value string) {
	p.t.Helper()
	eval[bool](p, fmt.Sprintf(`(e => { e.value = %q; e.dispatchEvent(new Event("input", { bubbles: true })); e.dispatchEvent(new Event("change", { bubbles: true })); return true; })(document.querySelector(%q))`, value, selector))
}

// has is an expression that is true if the element contains the text.
func has(id, text string) string {
	return fmt.Sprintf(`document.getElementById(%q).textContent.replace(/\s+/g, " ").includes(%q)`, id, text)
}

// controlled is a page of the program, which displays the effect of a control at once.
func controlled(t *testing.T, args ...string) *tab {
	t.Helper()
	p := openVisualizer(t, tabOptions{}, runVisualizer(t, args...).page)
	// The 12 objects and their copies.
	p.waitFor(has("machine", "watching") + " && " + has("found", "24 keys") + " && " + has("flow", "at work: 0"))
	return p
}

// stepUntil displays records one by one until an expression is true, so that a state
// that lasts only for a short time is not missed. The page must be paused.
func (p *tab) stepUntil(expression string) {
	p.t.Helper()
	p.waitFor(`!document.getElementById("step").click() && new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))).then(() => ` + expression + `)`)
}

// The controls of objects are followed through all stages.
func TestVisualizerControlsObjects(t *testing.T) {
	t.Parallel()
	p := controlled(t)
	p.set("#controls input[name=name]", "parrot")
	p.click("control-create")
	p.waitFor(has("fifo", "default/parrotAdded") + " && " + has("store", "default/parrotadd") + " && " + has("worker", "default/parrot the copy is created"))
	p.waitFor(has("socket", "default/parrot") + " && " + has("machine", "default/parrot event ADDED version="))
	p.waitFor(has("request", "default/parrot-copy 201"))
	require.Contains(t, eval[string](p, `document.getElementById("controls").textContent`), "default/parrot is created, version")

	p.click("control-update")
	p.waitFor(has("store", "default/parrotupdate") + " && " + has("worker", "the copy is updated"))
	p.click("control-delete")
	p.waitFor(has("store", "default/parrotdelete"))
	p.click("control-delete")
	p.waitFor(`document.querySelector("#controls .error")?.textContent === 'there is no object "parrot" in the store'`)

	for _, message := range p.consoleErrors() {
		require.Contains(t, message, "409") // the program reports the failure with a status
	}

	p.set("#controls input[name=n]", "30")
	p.click("control-burst")
	p.waitFor(has("found", "84 keys"))
	requireSameAsSnapshot(p)
	p.screenshot("visualizer/objects", true)
	p.click("control-clear")
	p.waitFor(has("found", "0 keys"))
}

// requireSameAsSnapshot checks that a page that has displayed records shows the same as
// one that begins with a snapshot now.
func requireSameAsSnapshot(p *tab) {
	p.t.Helper()
	const states = `[...document.querySelectorAll("#flow .value, #store .facts, #store .values, #found, #handler .rows, #queue, #worker .facts, #request .facts")]
		.map(e => e.textContent.replace(/Last batch.*/, "")).join("\n")`
	p.waitFor(has("flow", "at work: 0") + " && " + has("flow", "backlog: 0"))
	fresh := openVisualizer(p.t, tabOptions{}, eval[string](p, `location.href`))
	fresh.waitFor(has("flow", "watching"))
	var long, short string
	for began := time.Now(); time.Since(began) < timeout; { // the states follow the records
		if long, short = eval[string](p, states), eval[string](fresh, states); long == short {
			return
		}
	}
	require.Equal(p.t, short, long)
}

// The faults of the connection are shown by the panel of the reflector.
func TestVisualizerControlsFaults(t *testing.T) {
	t.Parallel()
	for control, want := range map[string]string{"cut": "the connection was cut", "expire": "the connection was cut", "away": "connection refused"} {
		t.Run(control, func(t *testing.T) {
			t.Parallel()
			p := controlled(t)
			p.click("pause")
			p.click("control-" + control)
			p.stepUntil(has("machine", "waiting to retry") + " && " + has("machine", "Failures1") + " && " + has("machine", want))
			p.click("live")
			p.screenshot("visualizer/"+control, true)
			if control == "away" {
				p.waitFor(has("control-away", "active"))
				p.click("control-back")
				p.waitFor(`document.getElementById("control-away").textContent === "Server away"`)
			}
			// It watches again: 410 makes it list again.
			p.waitFor(`document.querySelector("#machine .badge").textContent === "watching"`)
			relists := "Relists0"
			if control == "expire" {
				relists = "Relists1"
			}
			p.waitFor(has("machine", relists))
		})
	}
}

// After a restart of the server, the watch continues without a failure.
func TestVisualizerControlsRestart(t *testing.T) {
	t.Parallel()
	p := controlled(t)
	require.Contains(t, eval[string](p, `document.getElementById("request").textContent`), "watch 1")
	p.click("pause")
	p.click("control-restart")
	p.stepUntil(has("log", "closed"))
	p.click("live")
	p.waitFor(has("request", "watch 2") + " && " + has("machine", "Statewatching"))
}

// A silent watch delivers nothing until the silence ends.
func TestVisualizerControlsSilence(t *testing.T) {
	t.Parallel()
	p := controlled(t)
	p.click("control-silence")
	p.waitFor(has("control-silence", "active"))
	p.set("#controls input[name=name]", "parrot")
	p.click("control-create")
	p.waitFor(has("log", "Create: default/parrot is created"))
	require.False(t, eval[bool](p, has("store", "parrot")))
	p.click("control-speak")
	p.waitFor(has("store", "default/parrotadd"))
	require.Equal(t, "Silence", eval[string](p, `document.getElementById("control-silence").textContent`))
}

// A slow handler falls behind, one that panics is counted, and failed reconciles are
// retried.
func TestVisualizerControlsHandlers(t *testing.T) {
	t.Parallel()
	p := controlled(t)
	p.set(`#controls [data-id=handler] input`, "400")
	p.click("control-slow")
	p.waitFor(has("control-slow", "active") + " && " + has("handler", "delay 400 ms"))
	p.set("#controls input[name=n]", "100")
	p.click("control-burst")
	p.waitFor(`document.querySelector("#handler meter").value >= 3`)
	p.set(`#controls [data-id=handler] input`, "0")
	p.click("control-slow")
	p.waitFor(`document.querySelector("#handler meter").value === 0`)
	p.click("control-panic")
	p.waitFor(has("log", "Panic once: "))
	p.click("control-update")
	p.waitFor(has("handler", "panics 1"))

	p.set(`#controls [data-id=worker] input[name=n]`, "2")
	p.click("control-fail")
	p.waitFor(has("log", "Fail: "))
	p.click("control-update")
	p.waitFor(has("worker", "of which 2 failed"))
	p.set(`#controls [data-id=worker] input[name=ms]`, "10000")
	p.click("control-work")
	p.waitFor(has("log", "Slow down: each reconcile"))
	p.click("control-update")
	p.waitFor(has("queue-processing", "default/"))
}

// Each stage links to files of the clone.
func TestVisualizerLinks(t *testing.T) {
	t.Parallel()
	p := controlled(t)
	bad := eval[[]string](p, `Promise.all([...document.querySelectorAll("#stages .links")].map(async nav => {
		const answers = await Promise.all([...nav.querySelectorAll("a")].map(a => fetch(a.href)));
		return answers.length > 0 && answers.every(a => a.ok) ? "" : nav.closest("section").id;
	})).then(all => all.filter(Boolean))`)
	require.Empty(t, bad)
}

// The timeline has the records of one key. It is opened with a chip, a button of the
// store, or the form, and continues.
func TestVisualizerTimeline(t *testing.T) {
	t.Parallel()
	p := controlled(t)
	p.set("#search", "item-0003-c")
	p.waitFor(`document.querySelectorAll("#found-keys button").length === 1`)
	eval[bool](p, `(document.querySelector("#found-keys button").focus(), document.querySelector("#found-keys button").click(), true)`)
	p.waitFor(`document.activeElement.id === "timeline" && document.querySelectorAll("#timeline li").length > 4`)
	require.Contains(t, eval[string](p, `document.getElementById("timeline").textContent`), "default/item-0003-copy")
	require.True(t, eval[bool](p, `[...document.querySelectorAll(".chip.selected")].every(e => e.dataset.key === "default/item-0003-copy") && document.querySelectorAll(".chip.selected").length > 1`))
	p.press(kb.Escape)
	p.waitFor(`document.getElementById("timeline").hidden`)
	require.Equal(t, "default/item-0003-copy", eval[string](p, `document.activeElement.textContent`), "the focus is lost")

	p.set("#key", "default/item-0002")
	p.click("show-timeline")
	p.waitFor(`!document.getElementById("timeline").hidden && ` + has("timeline", "default/item-0002 is reconciled"))
	before := eval[int](p, `document.querySelectorAll("#timeline li").length`)
	p.set("#controls input[name=name]", "item-0002")
	p.click("control-update")
	p.waitFor(fmt.Sprintf(`document.querySelectorAll("#timeline li").length > %d`, before) + " && " + has("timeline", "default/item-0002 Updated is queued"))
	p.set("#key", "default/none")
	p.click("show-timeline")
	p.waitFor(has("timeline", "No record of this key is left."))
}

// A page whose program has ended says so, disables the controls, and connects to the
// next program at the same address.
func TestVisualizerWithoutProgram(t *testing.T) {
	t.Parallel()
	program := runVisualizer(t)
	p := openVisualizer(t, tabOptions{}, program.page)
	program.stop()
	p.waitFor(has("connection", "The program does not answer."))
	require.True(t, eval[bool](p, `document.getElementById("control-create").disabled`))
	require.Contains(t, eval[string](p, `document.getElementById("controls").textContent`), "Not available while the program does not answer.")
	p.screenshot("visualizer/lost", false)
	next := runVisualizer(t, "-address", program.page[len("http://"):len(program.page)-1], "-objects", "3")
	require.Equal(t, program.page, next.page)
	p.waitFor(has("connection", "configmaps in namespace") + " && " + has("found", "6 keys"))
	require.False(t, eval[bool](p, `document.getElementById("control-create").disabled`))
	for _, message := range p.consoleErrors() {
		require.Contains(t, message, "ERR_")
	}
}
