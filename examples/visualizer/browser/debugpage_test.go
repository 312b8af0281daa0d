package browser

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

const stateText = `document.getElementById("state").textContent`

// The page shows at a glance that an informer fails and what to do, and that it is
// healthy again, without being loaded again.
func TestDebugPageFollowsTheState(t *testing.T) {
	t.Parallel()
	program := runDebugProgram(t)
	p := newTab(t, tabOptions{})
	p.open(program.page)
	p.waitFor(stateText + `.startsWith("Failing")`)
	p.waitFor(`document.title === "Failing: informers"`)
	problems := eval[string](p, `document.getElementById("problems").textContent`)
	require.Contains(t, problems, `secrets is forbidden: User "admin" cannot`)
	require.Contains(t, problems, "What to do: Allow the user named in the error to list and watch secrets, with a Role or ClusterRole")

	eval[bool](p, `(window.loaded = "once", document.getElementById("search").value = "par", document.getElementById("search").focus(), true)`)
	program.mayReadSecrets.Store(true)
	p.waitFor(stateText + `.startsWith("Healthy")`)
	require.Equal(t, "once", eval[string](p, `window.loaded`), "the page was loaded again")
	require.Equal(t, "search par", eval[string](p, `document.activeElement.id + " " + document.activeElement.value`), "the focus or the text was lost")
	require.Equal(t, "Healthy: informers", eval[string](p, `document.title`))
	require.False(t, eval[bool](p, `Boolean(document.getElementById("problems"))`))
	p.waitFor(`document.getElementById("announcement").textContent.startsWith("Healthy")`)
	require.Equal(t, "status", eval[string](p, `document.getElementById("announcement").getAttribute("role")`))
}

// The failures of a controller are shown.
func TestDebugPageShowsControllers(t *testing.T) {
	t.Parallel()
	program := runDebugProgram(t)
	program.mayReadSecrets.Store(true)
	program.reconcileFails.Store(true)
	program.create(t, "parrot")
	p := newTab(t, tabOptions{})
	p.open(program.page)
	p.waitFor(`document.getElementById("problems")?.textContent.includes("The reconcile of shop/parrot has failed repeatedly: out of seed")`)
	require.Contains(t, eval[string](p, `document.getElementById("section-1").textContent`), "controller maps")
	require.Contains(t, eval[string](p, `document.getElementById("section-1").textContent`), "Failing")
}

// Keys appear in the list without a reload, and only while the page is not paused. A
// link keeps the focus while others are inserted before it.
func TestDebugPageListsNewKeys(t *testing.T) {
	t.Parallel()
	program := runDebugProgram(t)
	p := newTab(t, tabOptions{})
	p.open(program.page + "?informer=configmaps&search=ab")
	p.waitFor(`document.getElementById("freshness").textContent.startsWith("Live")`)
	require.Contains(t, eval[string](p, `document.body.innerText`), "The store has no such keys.")
	list := `[...document.querySelectorAll(".keys li")].map(e => e.textContent.trim()).join()`
	program.create(t, "cabin")
	p.waitFor(list + ` === "shop/cabin"`)
	eval[bool](p, `(document.querySelector(".keys a").focus(), true)`)
	program.create(t, "abacus")
	program.create(t, "crab")
	p.waitFor(list + ` === "shop/abacus,shop/cabin,shop/crab"`)
	require.Equal(t, "shop/cabin", eval[string](p, `document.activeElement.textContent`))

	eval[bool](p, `(document.getElementById("pause").click(), true)`)
	require.Equal(t, "true", eval[string](p, `document.getElementById("pause").getAttribute("aria-pressed")`))
	program.create(t, "about")
	eval[bool](p, countRequests)
	eval[bool](p, `new Promise(done => setTimeout(done, 2500, true))`)
	require.Zero(t, eval[int](p, `requests`), "a paused page sends requests")
	require.NotContains(t, eval[string](p, list), "about")
	eval[bool](p, `(document.getElementById("pause").click(), true)`)
	p.waitFor(list + `.startsWith("shop/abacus,shop/about,")`)
}

// countRequests counts the requests that a page begins from then on. A former request may
// end later.
const countRequests = `(() => {
	const original = window.fetch;
	window.requests = 0;
	window.fetch = (...args) => (requests++, original(...args));
	return true;
})()`

// The form finds an object by a part of its key, and links lead to it and to further
// pages.
func TestDebugPageSearch(t *testing.T) {
	t.Parallel()
	program := runDebugProgram(t)
	program.create(t, "parrot")
	p := newTab(t, tabOptions{})
	p.open(program.page)
	eval[bool](p, `(document.getElementById("search").value = "arro", document.getElementById("informer").value = "configmaps", true)`)
	p.open(program.page + "?" + eval[string](p, `String(new URLSearchParams(new FormData(document.getElementById("find"))))`))
	p.waitFor(`document.querySelector("h2")?.textContent.includes("contain “arro”")`)
	p.waitFor(`document.querySelectorAll(".keys a").length === 1`)
	p.open(eval[string](p, `document.querySelector(".keys a").href`))
	p.waitFor(`document.querySelector("h1").textContent === "shop/parrot" && document.querySelector(".timeline")`)
	text := eval[string](p, `document.body.innerText`)
	require.Contains(t, text, `"word": "hello"`)
	require.Contains(t, text, "received")
	// The next page of a list.
	p.open(program.page + "?informer=configmaps")
	p.waitFor(`document.querySelectorAll(".keys a").length === 100`)
	p.open(eval[string](p, `[...document.querySelectorAll("a")].find(e => e.textContent === "Next page").href`))
	p.waitFor(`document.querySelectorAll(".keys a").length === 21`)
}

// A hidden tab sends no requests. It is updated at once when it is shown.
func TestDebugPageRestsWhileHidden(t *testing.T) {
	t.Parallel()
	program := runDebugProgram(t)
	p := newTab(t, tabOptions{})
	p.open(program.page + "?informer=configmaps&search=ab")
	p.waitFor(`document.getElementById("freshness").textContent.startsWith("Live")`)
	setHidden := `(hidden => {
		Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
		document.dispatchEvent(new Event("visibilitychange"));
		return true;
	})`
	eval[bool](p, setHidden+`(true)`)
	eval[bool](p, countRequests)
	program.create(t, "cabin")
	eval[bool](p, `new Promise(done => setTimeout(done, 4500, true))`)
	require.Zero(t, eval[int](p, `requests`), "a hidden page sends requests")
	eval[bool](p, setHidden+`(false)`)
	p.waitFor(`document.querySelectorAll(".keys a").length === 1`)
}

// An unchanged page is not sent again.
func TestDebugPageUnchanged(t *testing.T) {
	t.Parallel()
	program := runDebugProgram(t)
	program.mayReadSecrets.Store(true)
	p := newTab(t, tabOptions{})
	p.open(program.page + "?informer=configmaps")
	p.waitFor(`document.getElementById("freshness").textContent.startsWith("Live")`)
	unchanged := `performance.getEntriesByType("resource").filter(e => e.initiatorType === "fetch" && e.responseStatus === 304 && e.decodedBodySize === 0).length`
	p.waitFor(unchanged + " >= 2")
}

// A state that changes often is announced at most once in ten seconds, and the last one
// is announced.
func TestDebugPageAnnouncesSeldom(t *testing.T) {
	t.Parallel()
	program := runDebugProgram(t)
	p := newTab(t, tabOptions{})
	p.open(program.page)
	p.waitFor(`document.getElementById("freshness").textContent.startsWith("Live")`)
	eval[bool](p, `(() => {
		const page = document.documentElement.outerHTML, state = document.getElementById("state").textContent;
		let count = 0;
		window.fetch = async () => new Response(page.replace(">Failing</strong> Of", ">Failing</strong> " + ++count + " of"));
		window.announced = [];
		new MutationObserver(() => announced.push(performance.now())).observe(document.getElementById("announcement"), { childList: true });
		return true;
	})()`)
	p.waitFor(`announced.length >= 2`)
	require.GreaterOrEqual(t, eval[float64](p, `announced[1] - announced[0]`), 9990.0)
	require.Regexp(t, `^Failing [0-9]+ of`, eval[string](p, `document.getElementById("announcement").textContent`))
}

// Without scripts the page has the same content, and a link that loads it again.
func TestDebugPageWithoutScripts(t *testing.T) {
	t.Parallel()
	program := runDebugProgram(t)
	p := newTab(t, tabOptions{})
	call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	p.open(program.page + "?informer=configmaps")
	var text string
	for _, id := range []string{"freshness", "reload", "state", "find", "pause"} {
		text += id + ": " + p.visibleText(id) + "\n"
	}
	require.Regexp(t, `^freshness: As of .* UTC\.\nreload: Reload\nstate: Healthy 12[01] objects at version [0-9]+\.\nfind: Search by key Search\npause: \n$`, text)
	p.screenshot("debugpage/without-scripts", false)
}

// visibleText returns the text of an element, "" if it is hidden.
func (p *tab) visibleText(id string) string {
	p.t.Helper()
	return eval[string](p, `(e => e.hidden ? "" : e.innerText.replace(/\s+/g, " ").trim())(document.getElementById("`+id+`"))`)
}

// The page reports that the program has ended, and works again afterwards.
func TestDebugPageWithoutProgram(t *testing.T) {
	t.Parallel()
	program := runDebugProgram(t)
	p := newTab(t, tabOptions{})
	p.open(program.page)
	p.waitFor(`document.getElementById("freshness").textContent.startsWith("Live")`)
	began := time.Now()
	program.stop()
	require.Less(t, time.Since(began), timeout, "an open page delays the end of the program")
	p.waitFor(`document.getElementById("freshness").textContent.startsWith("The program does not answer. As of")`)
	for _, message := range p.consoleErrors() {
		require.Contains(t, message, "net::ERR_")
	}
	p.waitFor(`document.getElementById("announcement").textContent === "The program does not answer."`)
	p.screenshot("debugpage/ended", false)
	p.consoleErrors() // those of further attempts
}

// Every page fits into windows of three widths in both themes, and has text with enough
// contrast.
func TestDebugPageLayout(t *testing.T) {
	t.Parallel()
	program := runDebugProgram(t)
	program.reconcileFails.Store(true)
	program.create(t, "parrot")
	program.create(t, strings.Repeat("long-name-", 12)+"x")
	for _, width := range []int64{320, 768, 1280} {
		for _, dark := range []bool{false, true} {
			name := fmt.Sprintf("%d-%s", width, map[bool]string{false: "light", true: "dark"}[dark])
			t.Run(name, func(t *testing.T) {
				p := newTab(t, tabOptions{width: width, dark: dark, reducedMotion: true})
				for page, query := range map[string]string{
					"overview": "", "informer": "?informer=configmaps", "object": "?informer=configmaps&key=shop/parrot",
					"objects": "?informer=configmaps&objects=true&limit=3", "failing": "?informer=secrets", "missing": "?informer=configmaps&key=shop/none",
				} {
					p.open(program.page + query)
					p.waitFor(`document.readyState === "complete"`)
					p.requireNoOverflow()
					require.Empty(t, eval[[]string](p, lowContrast), page)
					p.screenshot("debugpage/"+page+"-"+name, true)
					for _, message := range p.consoleErrors() {
						// A page with the status 404 is an error on the console.
						require.True(t, page == "missing" && strings.Contains(message, "404"), message)
					}
				}
			})
		}
	}
}

// lowContrast returns the texts whose contrast with their background is below 4.5, the
// limit of WCAG 2 for level AA.
const lowContrast = `(() => {
	const rgb = (text) => text.match(/[\d.]+/g).map(Number);
	const luminance = (c) => c.slice(0, 3).map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
		.reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
	const background = (e) => {
		for (; e; e = e.parentElement) {
			const c = rgb(getComputedStyle(e).backgroundColor);
			if (c.length < 4 || c[3] > 0) return c;
		}
		return [255, 255, 255];
	};
	const low = [];
	for (const e of document.querySelectorAll("body, body *")) {
		if (![...e.childNodes].some(n => n.nodeType === Node.TEXT_NODE && n.data.trim())) continue;
		const [a, b] = [luminance(rgb(getComputedStyle(e).color)), luminance(background(e))].sort((x, y) => y - x);
		if ((a + 0.05) / (b + 0.05) < 4.5) low.push(e.outerHTML.slice(0, 100));
	}
	return low;
})()`

// All controls of the page are reached with the Tab key, in the order of the page, and
// show the focus.
func TestDebugPageByKeyboard(t *testing.T) {
	t.Parallel()
	program := runDebugProgram(t)
	p := newTab(t, tabOptions{})
	p.open(program.page)
	p.waitFor(`document.getElementById("freshness").textContent.startsWith("Live")`)
	var reached []string
	for range 6 {
		p.press(kb.Tab)
		reached = append(reached, eval[string](p, `document.activeElement.id || document.activeElement.textContent`))
		require.Equal(t, "solid", eval[string](p, `getComputedStyle(document.activeElement).outlineStyle`), reached)
	}
	require.Equal(t, []string{"pause", "secrets", "informer", "search", "Search", "configmaps"}, reached)
}

// press presses and releases a key.
func (p *tab) press(key string) {
	p.t.Helper()
	p.run(chromedp.KeyEvent(key))
}
