package reads

import "testing"

// Each condition of an own write is necessary: a change that violates only one of them
// is not one.
func TestOwnWriteNeedsEachCondition(t *testing.T) {
	const source, key = "informer", "x/a"
	record := func() *OwnWrites {
		o := &OwnWrites{}
		o.Read(source, key, "u", "1")
		o.Wrote(source, key, "u", "2", 7, false)
		return o
	}
	change := func() *Change {
		return &Change{Source: source, Key: key, UID: "u", OldUID: "u", Old: "1", New: "2", Epoch: 7, MayBeOwn: true}
	}
	for _, test := range []struct {
		name   string
		own    bool
		record func(*OwnWrites)
		change func(*Change)
	}{
		{"own", true, nil, nil},
		{"listed, or a deletion", false, nil, func(c *Change) { c.MayBeOwn = false }},
		{"another informer", false, nil, func(c *Change) { c.Source = "another" }},
		{"another object", false, nil, func(c *Change) { c.Key = "x/b" }},
		{"another UID", false, nil, func(c *Change) { c.UID, c.OldUID = "v", "v" }},
		{"another UID before", false, nil, func(c *Change) { c.OldUID = "v" }},
		{"another epoch", false, nil, func(c *Change) { c.Epoch = 8 }},
		{"another new version", false, nil, func(c *Change) { c.New = "3" }},
		{"another old version", false, nil, func(c *Change) { c.Old = "0" }},
		{"reads of two versions", false, func(o *OwnWrites) {
			o.objects[0].written = nil
			o.Read(source, key, "u", "0")
			o.Wrote(source, key, "u", "2", 7, false)
		}, nil},
		{"no read", false, func(o *OwnWrites) { *o = OwnWrites{}; o.Wrote(source, key, "u", "2", 7, false) }, nil},
		{"read after the write", true, func(o *OwnWrites) { o.Read(source, key, "u", "2") }, nil},
		{"second write", true, func(o *OwnWrites) { o.Wrote(source, key, "u", "3", 7, false) }, func(c *Change) { c.Old, c.New = "2", "3" }},
		{"second write before the first", false, func(o *OwnWrites) { o.Wrote(source, key, "u", "3", 7, false) }, func(c *Change) { c.Old, c.New = "3", "2" }},
		{"write that has changed nothing", false, func(o *OwnWrites) {
			*o = OwnWrites{}
			o.Read(source, key, "u", "2")
			o.Wrote(source, key, "u", "2", 7, false)
		}, nil},
		{"appearance after an update", false, nil, func(c *Change) { c.Old, c.OldUID = "", "" }},
		{"appearance after a create", true, func(o *OwnWrites) { *o = OwnWrites{}; o.Wrote(source, key, "u", "2", 7, true) }, func(c *Change) { c.Old, c.OldUID = "", "" }},
		{"appearance after a create, with another UID", false, func(o *OwnWrites) { *o = OwnWrites{}; o.Wrote(source, key, "v", "2", 7, true) }, func(c *Change) { c.Old, c.OldUID = "", "" }},
	} {
		t.Run(test.name, func(t *testing.T) {
			o, c := record(), change()
			if test.record != nil {
				test.record(o)
			}
			if test.change != nil {
				test.change(c)
			}
			if own := o.isOwn(c); own != test.own {
				t.Errorf("own: %t", own)
			}
		})
	}
}

// A change at the revision of a read does not count, and a later one does, during the
// reconcile and after it.
func TestChangeAtTheRevisionOfTheRead(t *testing.T) {
	for _, during := range []bool{true, false} {
		for revision, want := range map[uint64]bool{4: false, 5: false, 6: true} {
			g, s := NewGraph[string](), NewSource[string]("informer")
			a := g.Begin("request")
			edge, _ := a.Open(s, Target{Kind: Key, Value: "x/a"})
			a.Close(edge, 5)
			apply := func() bool {
				change := &Change{Source: s, Key: "x/a", Revision: revision}
				return len(g.Apply(nil, change, s.Match(nil, "x/a", true, nil), true, nil)) > 0
			}
			var enqueued bool
			if during {
				apply()
				enqueued = g.End(a, true, false)
			} else {
				g.End(a, true, false)
				enqueued = apply()
			}
			if enqueued != want {
				t.Errorf("revision %d, during the reconcile %t: enqueued %t", revision, during, enqueued)
			}
		}
	}
}
