package recovery

import (
	"bufio"
	"cmp"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/bench/outage"
)

// The cases cover every form, both numbers of informers, the three lengths, and
// each kind of source.
func TestCasesCoverRequirements(t *testing.T) {
	all := schedules()
	if len(all) != 16 {
		t.Errorf("%d cases, want 16", len(all))
	}
	covers := func(what string, some func(schedule) bool) {
		if !slices.ContainsFunc(all, some) {
			t.Errorf("no case has %s", what)
		}
	}
	for _, form := range []outage.Form{outage.Reset, outage.EOF, outage.Refused, outage.HalfOpen, outage.Partitioned, outage.Truncated, outage.Unavailable, outage.TooManyRequests} {
		covers(string(form), func(s schedule) bool { return s.fault.Form == form })
	}
	for _, lasts := range []time.Duration{3 * time.Second, 8 * time.Second, 45 * time.Second} {
		for _, n := range []int{11, 50} {
			covers(lasts.String(), func(s schedule) bool { return s.lasts == lasts && s.informers == n && !s.middlebox })
		}
	}
	covers("503 with Retry-After", func(s schedule) bool { return s.fault.Form == outage.Unavailable && s.fault.RetryAfter > 0 })
	covers("503 without Retry-After", func(s schedule) bool { return s.fault.Form == outage.Unavailable && s.fault.RetryAfter == 0 })
	covers("five outages and a 410", func(s schedule) bool { return s.times == 5 && s.expired })
	covers("a restored server", func(s schedule) bool { return s.restored })
	covers("a middlebox", func(s schedule) bool { return s.middlebox })
	covers("functions", func(s schedule) bool { return s.sources == fromFunctions })
	covers("package cache", func(s schedule) bool { return s.sources == fromClientset })
	for _, s := range all {
		if strings.Contains(s.about(), "\n") || !s.middlebox && describe(s.fault) == "" {
			t.Errorf("%s: %q", s.name, s.about())
		}
	}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func TestHalfAndAllAreCounted(t *testing.T) {
	from := time.Now()
	at := func(all ...float64) (times []time.Time) {
		for _, s := range all {
			times = append(times, from.Add(seconds(s)))
		}
		return times
	}
	for _, c := range []struct {
		current      []time.Time
		median, last float64
	}{
		{at(5, 1, 3), 3, 5},
		{at(4, 1, 3, 2), 2, 4},
		{at(-1, -2), 0, 0}, // before the time from which recovery counts
	} {
		if median, last := halfAndAll(c.current, from); median != seconds(c.median) || last != seconds(c.last) {
			t.Errorf("%v: %v %v, want %v %v", c.current, median, last, c.median, c.last)
		}
	}
}

func TestRecoveryCountsFromTheFirstAnswer(t *testing.T) {
	ended := time.Now()
	answer, wait, never := ended.Add(time.Second), ended.Add(2*time.Second), time.Time{}
	later := []time.Time{ended.Add(3 * time.Second)}
	for name, c := range map[string]struct {
		answer, announced time.Time
		current           []time.Time
		want              time.Time
	}{
		"an answer":                       {answer, never, later, answer},
		"an answer before the wait's end": {answer, wait, later, wait},
		"a wait that has ended":           {answer, ended, later, answer},
		"an open connection":              {answer, never, []time.Time{ended.Add(time.Millisecond), later[0]}, ended},
		"no answer":                       {never, never, later, ended},
	} {
		if got := zero(ended, c.answer, c.announced, c.current); got != c.want {
			t.Errorf("%s: %v after the end, want %v", name, got.Sub(ended), c.want.Sub(ended))
		}
	}
}

func TestRequirements(t *testing.T) {
	side := func(median, last float64, requests int) result {
		return result{median: seconds(median), last: seconds(last), requests: outage.Requests{Total: requests}}
	}
	usual := schedule{informers: 11, sources: fromViews, lasts: 8 * time.Second}
	twice, list, alone, back, cut := usual, usual, usual, usual, usual
	cut.fault = outage.Fault{Form: outage.HalfOpen}
	twice.times, list.expired, alone.sources, back.restored = 2, true, fromFunctions, true
	for name, c := range map[string]struct {
		schedule               schedule
		ours, theirs           result
		time, order, fewEnough bool
	}{
		"all met":                     {usual, side(1, 3, 43), side(0.5, 2.5, 24), true, true, true},
		"half too late":               {usual, side(1.1, 1.2, 0), side(9, 9, 0), false, true, true},
		"the last too late":           {usual, side(0, 3.1, 0), side(9, 9, 0), false, true, true},
		"half later than client-go":   {usual, side(0.9, 0.9, 0), side(0.3, 0.9, 0), true, false, true},
		"later than client-go":        {usual, side(0, 0.9, 0), side(0, 0.3, 0), true, false, true},
		"one request too many":        {usual, side(0, 0, 44), side(0, 0, 24), true, true, false},
		"two outages":                 {twice, side(0, 0, 51), side(0, 0, 24), true, true, true},
		"a list is needed":            {list, side(1.1, 3.1, 0), side(9, 9, 0), true, true, true},
		"nothing shared, late":        {alone, side(5, 5, 35), side(5, 5, 24), true, true, true},
		"nothing shared, many":        {alone, side(0, 0, 36), side(0, 0, 24), true, true, false},
		"half-open":                   {cut, side(18, 18, 0), side(45, 45, 0), true, true, true},
		"half-open, found too late":   {cut, side(18, 18.1, 0), side(45, 45, 0), false, true, true},
		"restored":                    {back, side(5, 5, 0), side(90, 90, 0), true, true, true},
		"restored and found too late": {back, side(5, 5.2, 0), side(90, 90, 0), false, true, true},
	} {
		r := results{ours: c.ours, theirs: c.theirs, list: 100 * time.Millisecond}
		inTime, required := r.isInTime(c.schedule)
		if inTime = inTime || !required; inTime != c.time || r.isInOrder() != c.order || r.isFrugal(c.schedule) != c.fewEnough {
			t.Errorf("%s: time %v, order %v, count %v", name, inTime, r.isInOrder(), r.isFrugal(c.schedule))
		}
	}
}

// After a schedule with each kind of source, all informers of both libraries are current.
func TestBothLibrariesRecover(t *testing.T) {
	for _, s := range []schedule{
		{name: "views", informers: 2, sources: fromViews, fault: outage.Fault{Form: outage.Refused}},
		{name: "functions", informers: 2, sources: fromFunctions, fault: outage.Fault{Form: outage.Unavailable}},
		{name: "clientset", informers: 2, sources: fromClientset, fault: outage.Fault{Form: outage.Reset}, expired: true},
		{name: "half-open", informers: 2, sources: fromViews, fault: outage.Fault{Form: outage.HalfOpen}},
		{name: "middlebox", informers: 2, sources: fromViews, middlebox: true, lasts: 4 * time.Second},
	} {
		s.lasts = cmp.Or(s.lasts, 100*time.Millisecond)
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			r := s.run()
			for library, got := range map[string]result{"ours": r.ours, "client-go's": r.theirs} {
				if got.last >= recoveryTimeout {
					t.Errorf("%s are not current after %v", library, recoveryTimeout)
				}
				if got.requests.Total == 0 && !s.fromTheCut() || got.median > got.last {
					t.Errorf("%s: %+v", library, got)
				}
			}
			if r.list <= 0 {
				t.Error("no time of a list")
			}
		})
	}
}

// During an outage a server can lose its latest writes or its old versions.
func TestServerChangesDuringOutage(t *testing.T) {
	all := collectionsOf(fromViews, 3)
	r := &run{collections: all, server: apitest.NewServer(apitest.Options{PlainHTTP: true, Resources: custom(all)})}
	defer r.server.Close()
	fill(r.server, all)
	for range past {
		r.write()
	}
	latest := apitest.Get(t, r.server, all[0].marker())

	r.schedule = schedule{restored: true}
	r.changeServer()
	if got := apitest.Get(t, r.server, all[0].marker()); got.GetAnnotations()[round] == latest.GetAnnotations()[round] {
		t.Error("the restored server has the latest write")
	}

	r.schedule = schedule{expired: true}
	before := apitest.Get(t, r.server, all[0].marker()).GetResourceVersion()
	r.changeServer()
	response := must(http.Get(r.server.URL + "/apis/" + all[0].GroupVersion().String() + "/" + all[0].Resource + "?watch=true&resourceVersion=" + before))
	defer response.Body.Close()
	if line, err := bufio.NewReader(response.Body).ReadString('\n'); response.StatusCode != http.StatusGone && !strings.Contains(line, "410") {
		t.Errorf("a watch from a version that has expired: %s %q %v", response.Status, line, err)
	}
}
