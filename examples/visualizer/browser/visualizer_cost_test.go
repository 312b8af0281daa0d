package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/performance"
	"github.com/stretchr/testify/require"
)

// With 10,000 objects and a burst of 1,000, a frame takes little script time, and the
// page has few elements. The limit is that of a busy machine; the goal is 8 ms.
func TestVisualizerFrameTime(t *testing.T) {
	program := runScriptedProgram(t, sampleSnapshot(10_000))
	p := openVisualizer(t, tabOptions{}, program.page)
	p.waitFor(has("found", "10,000 keys; 16 are shown."))
	p.set("#search", "item-09") // all keys are searched again and again
	p.waitFor(has("found", "1,000 keys match; 16 are shown."))
	call(p, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks})
	before := scriptTime(p)
	eval[bool](p, `(window.frames_ = [], new PerformanceObserver(list => frames_.push(...list.getEntries().map(e => e.duration))).observe({ type: "measure" }), true)`)
	const messages, each = 60, 17
	for i := range messages {
		var records []record
		for j := range each {
			n := i*each + j
			records = append(records, lifeOf(fmt.Sprintf("shop/item-%05d", n*9), fmt.Sprint(100+n), "")...)
		}
		program.send(records...)
		eval[bool](p, `new Promise(done => setTimeout(done, 16, true))`)
	}
	p.waitFor(has("worker", "shop/item-09171 rendered") + " && frames_.length > 0")
	script := scriptTime(p) - before
	frames := eval[[]float64](p, `frames_.sort((a, b) => a - b)`)
	at := func(part float64) float64 { return frames[int(part*float64(len(frames)-1))] }
	perFrame := 1000 * script / float64(len(frames))
	t.Logf("script time of %d frames for %d changes: %.1f ms of the CPU per frame; median %.1f ms, 95 %% %.1f ms, longest %.1f ms of time", len(frames), messages*each, perFrame, at(0.5), at(0.95), at(1))
	require.Less(t, perFrame, 16.0)
	elements := eval[int](p, `document.querySelectorAll("*").length`)
	t.Logf("%d elements", elements)
	require.Less(t, elements, 1500)
}

// scriptTime returns the CPU seconds that the scripts of the page have taken.
func scriptTime(p *tab) float64 {
	for _, metric := range call(p, performance.GetMetrics, cdp.Empty{}).Metrics {
		if metric.Name == "ScriptDuration" {
			return metric.Value
		}
	}
	p.t.Fatal("there is no ScriptDuration")
	return 0
}

// countWork counts the timers and frames that a page requests.
const countWork = `
	window.requested = 0;
	for (const name of ["setTimeout", "setInterval", "requestAnimationFrame", "requestIdleCallback"]) {
		const original = window[name];
		window[name] = (...args) => (requested++, original.call(window, ...args));
	}`

// A page without new records requests no frames and has no timers.
func TestVisualizerRests(t *testing.T) {
	t.Parallel()
	program := runScriptedProgram(t, sampleSnapshot(100))
	p := newTab(t, tabOptions{})
	call(p, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: countWork})
	p.open(program.page)
	p.waitFor(has("found", "100 keys"))
	program.send(lifeOf("shop/parrot", "32", "")...)
	p.waitFor(has("worker", "rendered") + " && " + has("position", "Live: "))
	p.waitFor(`document.getElementById("announcement").textContent.includes("shop/parrot: rendered")`)
	p.waitFor(`document.getAnimations().every(a => a.playState !== "running")`)
	second := `new Promise(done => { const before = requested; addEventListener("done", () => done(requested - before), { once: true }); setTimeout(() => dispatchEvent(new Event("done")), 1000); })`
	require.Equal(t, 1, eval[int](p, second), "there is more than the timer of this test")
	require.Greater(t, eval[int](p, `requested`), 1)
}

// The announcements of the log are at least four seconds apart, and can be turned off.
func TestVisualizerAnnouncements(t *testing.T) {
	t.Parallel()
	program := runScriptedProgram(t, sampleSnapshot(3))
	p := openVisualizer(t, tabOptions{}, program.page)
	eval[bool](p, `(window.announced = [], new MutationObserver(() => announced.push(performance.now())).observe(document.getElementById("announcement"), { childList: true, characterData: true, subtree: true }), true)`)
	for i := range 50 {
		program.send(lifeOf(fmt.Sprintf("shop/item-%d", i), fmt.Sprint(i), "")...)
		eval[bool](p, `new Promise(done => setTimeout(done, 100, true))`)
	}
	p.waitFor(`announced.length >= 2`)
	require.Greater(t, eval[float64](p, `Math.min(...announced.slice(1).map((at, i) => at - announced[i]))`), 3900.0)
	require.Regexp(t, `^[0-9]+ records. The last: shop/item-[0-9]+: rendered$`, p.visibleText("announcement"))
	require.Equal(t, "polite", eval[string](p, `document.getElementById("announcement").getAttribute("aria-live")`))
	p.click("announce")
	require.Empty(t, p.visibleText("announcement"))
	program.send(lifeOf("shop/late", "99", "")...)
	p.waitFor(has("worker", "shop/late"))
	eval[bool](p, `new Promise(done => setTimeout(done, 4200, true))`)
	require.Empty(t, p.visibleText("announcement"))
}

// The first paint does not wait for records.
func TestVisualizerFirstPaint(t *testing.T) {
	program := runScriptedProgram(t, sampleSnapshot(3))
	program.mu.Lock() // no record is sent
	p := newTab(t, tabOptions{})
	p.open(program.page)
	p.waitFor(`performance.getEntriesByName("first-contentful-paint").length && ` + has("connection", "Connecting to the program."))
	program.mu.Unlock()
	p.waitFor(has("connection", "configmaps"))

	p = openVisualizer(t, tabOptions{}, runVisualizer(t).page)
	p.waitFor(`performance.getEntriesByName("first-contentful-paint").length`)
	t.Logf("first paint with content after %.0f ms", eval[float64](p, `performance.getEntriesByName("first-contentful-paint")[0].startTime`))
}
