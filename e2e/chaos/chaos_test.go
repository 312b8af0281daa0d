package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

var began = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func at(seconds float64) time.Time { return began.Add(time.Duration(seconds * float64(time.Second))) }

// The clock of a row starts when the server has responded to one of the programs and has
// accepted the beat.
func TestClockStartsWithFirstResponse(t *testing.T) {
	for name, test := range map[string]struct {
		ours, theirs, accepted, want time.Time
	}{
		"response to ours first":        {at(2), at(3), at(1), at(2)},
		"response to client-go's first": {at(3), at(2), at(1), at(2)},
		"no response to ours":           {time.Time{}, at(3), at(1), at(3)},
		"beat accepted later":           {at(2), at(3), at(4), at(4)},
	} {
		row := outage{accepted: test.accepted, ours: record{answered: test.ours}, theirs: record{answered: test.theirs}}
		if got := row.starts(); !got.Equal(test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

func TestRowHasMedianLastReadsAndPeak(t *testing.T) {
	row := outage{accepted: at(2), next: at(12), theirs: record{answered: at(1.5)}, ours: record{
		began: at(0), answered: at(2),
		current: []time.Time{at(2.5), at(1.9), at(4)},
		reads:   []time.Time{at(0.1), at(0.2), at(1), at(1.15), at(3.9), at(4.1)}, // the last one is sent after all are current
	}}
	want := recovery{median: 500 * time.Millisecond, last: 2 * time.Second, medianInTime: true, lastInTime: true, reads: 5, peak: 3}
	if got := row.recovery(&row.ours); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}

	row.ours.current[0] = time.Time{} // this informer is not current before the next kill
	want = recovery{median: 2 * time.Second, last: 10 * time.Second, medianInTime: true, reads: 6, peak: 3}
	if got := row.recovery(&row.ours); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestTableHasSummary(t *testing.T) {
	var out strings.Builder
	table := newTable(&out)
	for i, last := range []float64{3, 4, 9} {
		m := record{began: at(0), answered: at(2), current: []time.Time{at(2), at(last)}, reads: []time.Time{at(float64(i))}}
		late := m
		late.current = []time.Time{at(2.5), {}}
		table.add(&outage{up: time.Second, accepted: at(2), next: at(12), ours: m, theirs: late})
	}
	table.end()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, want := range []string{
		"3 1.0s 2.0s | 0.00s 7.00s 1 1 | 0.50s > 10.00s 1 1",
		"half | 0.00s 2.00s 1 1 | 0.50s > 10.00s 1 1",
		"worst | 0.00s 7.00s 1 1 | 0.50s > 10.00s 1 1",
		"not current before the next kill: ours 0 times, client-go 3 times, of 3",
	} {
		if got := strings.Join(strings.Fields(lines[4+i]), " "); got != want {
			t.Errorf("line %d: %q, want %q", 4+i, got, want)
		}
	}
}

// A meter records the reads of an outage and the first response other than 429 and 5xx. An
// informer is current only after the beat of this outage.
func TestMeterRecordsOneOutage(t *testing.T) {
	codes := []int{503, 429, 404, 200}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(codes[0])
		codes = codes[1:]
	}))
	defer server.Close()
	m := newMeter(2)
	client := http.Client{Transport: m.wrap(http.DefaultTransport)}
	m.begin(3, time.Now())
	for i, answered := range []bool{false, false, true, true} {
		resp, err := client.Get(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got := m.result(); len(got.reads) != i+1 || got.answered.IsZero() == answered {
			t.Errorf("after request %d: %d reads, answered at %v", i+1, len(got.reads), got.answered)
		}
	}
	m.saw(0, 2)
	m.saw(1, 3)
	if got := m.result(); !got.current[0].IsZero() || got.current[1].IsZero() {
		t.Errorf("beats 2 and 3 in outage 3: %v", got.current)
	}
	m.begin(4, time.Now())
	if got := m.result(); len(got.reads) != 0 || !got.answered.IsZero() || !got.current[1].IsZero() {
		t.Errorf("a new outage has %+v", got)
	}
	client.CloseIdleConnections()
}

func TestDecideKeepsOneChildOfEachItem(t *testing.T) {
	item := newMap("a", roleItem, map[string]string{"number": "2"})
	child := newMap("ours-a", "ours", map[string]string{"of": "a", "number": "1"})
	current := newMap("ours-a", "ours", map[string]string{"of": "a", "number": "2"})
	for name, test := range map[string]struct {
		item, child *corev1.ConfigMap
		want        string
	}{
		"no item":       {nil, nil, ""},
		"new item":      {item, nil, "create 2"},
		"old child":     {item, child, "update 2"},
		"current child": {item, current, ""},
		"deleted item":  {nil, child, "remove ours-a"},
	} {
		s := decide("ours", "a", test.item, test.child)
		var got string
		switch {
		case s.create != nil:
			got = "create " + s.create.Data["number"]
		case s.update != nil:
			got = "update " + s.update.Data["number"]
		case s.remove != "":
			got = "remove " + s.remove
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	if child.Data["number"] != "1" {
		t.Error("the object of the informer was changed")
	}
}

func TestWrongEndStatesAreFound(t *testing.T) {
	on := map[string]*corev1.ConfigMap{}
	for i, name := range []string{"a", "b", "c"} {
		on[name] = newMap(name, roleItem, map[string]string{"number": "1"})
		on[name].ResourceVersion = fmt.Sprint(i + 1)
	}
	want := []string{"has b at version 1, want 2", "has d, which is deleted", "lacks c, which is at version 3"}
	if got := differences(map[string]string{"a": "1", "b": "1", "d": "4"}, on); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	kept := map[string]*corev1.ConfigMap{
		"ours-a": newMap("ours-a", "ours", map[string]string{"of": "a", "number": "1"}),
		"ours-b": newMap("ours-b", "ours", map[string]string{"of": "b", "number": "0"}),
		"ours-d": newMap("ours-d", "ours", map[string]string{"of": "d", "number": "1"}),
	}
	want = []string{"c has no child", "ours-d has no item", "the child of b has 0, want 1"}
	if got := wrongChildren("ours", on, kept); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
