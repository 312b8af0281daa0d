package browser

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// The search covers the keys that the page has not received, asks once the user has
// stopped typing, and follows the store.
func TestVisualizerSearch(t *testing.T) {
	t.Parallel()
	page := runVisualizer(t, "-objects", "400").page
	p := openVisualizer(t, tabOptions{}, page)
	p.waitFor(has("found", "800 keys; 16 are shown.") + " && " + has("flow", "at work: 0"))
	p = openVisualizer(t, tabOptions{}, page) // it receives 200 keys, and no records
	p.waitFor(has("found", "800 keys; 16 are shown."))
	eval[bool](p, countRequests)
	eval[bool](p, `(e => {
		e.focus();
		for (const value of ["0", "03", "039", "039"]) {
			e.value = value;
			e.dispatchEvent(new Event("input", { bubbles: true }));
		}
		return true;
	})(document.getElementById("search"))`)
	p.waitFor(has("found", "22 keys match; 16 are shown."))
	require.Equal(t, 1, eval[int](p, `requests`))
	require.Equal(t, "default/item-0039", eval[string](p, `document.querySelector("#found-keys button").textContent`))
	p.set("#controls input[name=name]", "late-0391")
	p.click("control-create")
	p.waitFor(has("found", "24 keys match; 16 are shown."))
	p.set("#search", "<none>")
	p.waitFor(has("found", "0 keys match; 0 are shown."))
	p.set("#search", "")
	p.waitFor(has("found", "802 keys; 16 are shown."))

	// The form of the timeline suggests keys of the whole store.
	p.set("#key", "0399-c")
	p.waitFor(`[...document.querySelectorAll("#known-keys option")].map(e => e.value).join() === "default/item-0399-copy"`)
}

// A search that fails is reported, and is repeated after the next change.
func TestVisualizerSearchFails(t *testing.T) {
	t.Parallel()
	program := runScriptedProgram(t, sampleSnapshot(1000))
	p := openVisualizer(t, tabOptions{}, program.page)
	eval[bool](p, `(window.original = fetch, window.fetch = async () => { throw new Error("offline"); }, true)`)
	p.set("#search", "item-0012")
	p.waitFor(has("found", "The keys could not be searched: offline"))
	eval[bool](p, `(window.fetch = original, true)`)
	program.send(lifeOf("shop/parrot", "32", "")...)
	p.waitFor(has("found", "10 keys match; 10 are shown."))
}

// Answers of controls, the log and the reasons of disabled controls are translated, also
// when the language changes afterwards.
func TestVisualizerAnswers(t *testing.T) {
	t.Parallel()
	p := controlled(t)
	answer := func(group string) string {
		return fmt.Sprintf(`document.querySelector("#controls [data-id=%s] .result[role=status]").textContent`, group)
	}
	p.set("#controls input[name=name]", "absent")
	p.click("control-delete")
	p.waitFor(answer("objects") + " === `there is no object \"absent\" in the store`")
	require.Equal(t, "result error", eval[string](p, `document.querySelector("#controls [data-id=objects] .result[role=status]").className`))
	p.click("control-panic")
	p.waitFor(answer("handler") + ` === "the handler slow panics at its next notification"`)
	p.set("#language", "zh")
	p.waitFor(answer("objects") + ` === "缓存中没有对象“absent”"`)
	p.waitFor(answer("handler") + ` === "handler slow 会在处理下一个通知时 panic"`)
	p.waitFor(has("log", "panic 一次：handler slow 会在处理下一个通知时 panic"))
	p.waitFor(has("log", "删除：缓存中没有对象“absent”"))
	p.set("#controls input[name=name]", "parrot")
	p.click("control-create")
	p.waitFor(answer("objects") + `.startsWith("default/parrot 已创建，版本 ")`)
	for _, message := range p.consoleErrors() {
		require.Contains(t, message, "409", "the browser reports a request that has failed")
	}
}

// A page that is opened during a large start-up follows it in live mode. A page that is
// paused before the first record stays paused.
func TestVisualizerBeginsLive(t *testing.T) {
	t.Parallel()
	program := runVisualizer(t, "-objects", "1000")
	p := openVisualizer(t, tabOptions{}, program.page)
	p.waitFor(has("found", "2,000 keys; 16 are shown.") + " && " + has("position", "Live: each record is displayed when it arrives."))

	scripted := runScriptedProgram(t, sampleSnapshot(3))
	scripted.mu.Lock()
	p = newTab(t, tabOptions{})
	p.open(scripted.page)
	p.waitFor(`document.getElementById("pause").textContent === "Pause"`)
	p.click("pause")
	scripted.mu.Unlock()
	p.waitFor(has("connection", "configmaps"))
	scripted.send(lifeOf("shop/parrot", "32", "")...)
	p.waitFor(has("position", "13 records waiting"))
	// A speed ends the live mode.
	p.click("live")
	p.waitFor(has("worker", "shop/parrot rendered") + " && " + has("position", "Live: "))
	p.set("#speed", "2")
	p.waitFor(has("position", "Playing: nothing waits."))
}

// Long errors of requests do not make the panel tall.
func TestVisualizerLongErrors(t *testing.T) {
	t.Parallel()
	program := runScriptedProgram(t, sampleSnapshot(3))
	p := openVisualizer(t, tabOptions{width: 1440}, program.page)
	text := `dial tcp 127.0.0.1:41231: connect: connection refused, after a long time of waiting for the header of the response of the server at this address, which has not been received`
	for i := range 6 {
		path := fmt.Sprintf("/api/v1/namespaces/shop/configmaps/a-very-long-name-of-an-object-that-does-not-fit-into-a-line-of-the-panel-%d?fieldManager=visualizer&resourceVersion=%d", i, i)
		program.send(
			record{"stage": "request", "kind": "started", "verb": "patch", "method": "PATCH", "path": path},
			record{"stage": "request", "kind": "done", "verb": "patch", "method": "PATCH", "path": path, "error": text, "ms": 1.7},
		)
	}
	p.waitFor(`document.querySelectorAll("#request .failing-text").length === 6`)
	require.Less(t, eval[float64](p, `document.getElementById("request").offsetHeight`), 800.0)
	require.Equal(t, text, eval[string](p, `document.querySelector("#request .failing-text").title`))
	p.screenshot("visualizer/long-errors", true)
}
