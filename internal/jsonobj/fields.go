package jsonobj

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// field is one field of a struct, as the documents name it.
type field struct {
	key    key
	name   string
	node   *node
	offset uintptr
	// through are the embedded pointers on the way to the field; offset is
	// from the last one's struct.
	through []embedded
	mark    mark
	next    int16
}

// embedded is a pointer to an embedded struct, at offset of the struct that it
// is embedded in.
type embedded struct {
	offset uintptr
	elem   reflect.Type
	// unset: the struct's type is not exported, and so cannot be put there.
	unset bool
}

// candidate is a field of a struct or of one embedded in it, before the names
// are settled.
type candidate struct {
	name   string
	tagged bool
	index  []int
	quoted bool
	bare   bool
	field  reflect.StructField
	field0 field
}

// level is a struct whose fields are looked at: the root, or one embedded.
type level struct {
	typ     reflect.Type
	index   []int
	offset  uintptr
	through []embedded
}

// structFields settles which fields a struct has in JSON. The rules are those
// of encoding/json: of fields with one name that of the least depth counts,
// among those the one with a tag, and if there are still two, none.
func (c *compiler) structFields(t reflect.Type) (*fields, error) {
	found := candidates(t)
	slices.SortStableFunc(found, func(a, b candidate) int {
		return cmp.Or(strings.Compare(a.name, b.name), cmp.Compare(len(a.index), len(b.index)), -compareBool(a.tagged, b.tagged))
	})
	var kept []candidate
	for len(found) > 0 {
		same := 1
		for same < len(found) && found[same].name == found[0].name {
			same++
		}
		if same == 1 || len(found[0].index) < len(found[1].index) || found[0].tagged != found[1].tagged {
			kept = append(kept, found[0])
		}
		found = found[same:]
	}
	slices.SortFunc(kept, func(a, b candidate) int { return slices.Compare(a.index, b.index) })
	list := make([]field, 0, len(kept))
	for _, k := range kept {
		f := k.field0
		f.name = k.name
		var err error
		if f.node, err = c.field(k); err != nil {
			return nil, fmt.Errorf("%s: %w", k.name, err)
		}
		list = append(list, f)
	}
	return newFields(list), nil
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// field is the node of a field.
func (c *compiler) field(k candidate) (n *node, err error) {
	t := k.field.Type
	if k.bare {
		n, err = c.bare(t)
	} else {
		n, err = c.value(t)
	}
	if err != nil {
		return nil, err
	}
	if k.quoted {
		wrapped := reflect.StructOf([]reflect.StructField{{Name: "F", Type: t, Tag: `json:"F,string"`}})
		return &node{how: asQuoted, typ: t, wrapped: wrapped}, nil
	}
	if n.how == asString && neverRepeats(k.name) {
		return &node{how: asString, typ: t, alone: true}, nil
	}
	return n, nil
}

// neverRepeats: strings in these fields are not worth remembering.
func neverRepeats(name string) bool {
	switch name {
	case "uid", "resourceVersion", "containerID", "podIP":
		return true
	}
	return false
}

// candidates are the fields of t and of the structs embedded in it, level by
// level.
func candidates(t reflect.Type) (found []candidate) {
	visited := map[reflect.Type]bool{}
	next := []level{{typ: t}}
	times := map[reflect.Type]int{}
	for len(next) > 0 {
		current, count := next, times
		next, times = nil, map[reflect.Type]int{}
		for _, l := range current {
			if visited[l.typ] {
				continue
			}
			visited[l.typ] = true
			for i := range l.typ.NumField() {
				own, deeper := l.look(i)
				if own != nil {
					found = append(found, *own)
					// A struct embedded twice on one level hides its own fields.
					if count[l.typ] > 1 {
						found = append(found, *own)
					}
				}
				if deeper != nil {
					if times[deeper.typ]++; times[deeper.typ] == 1 {
						next = append(next, *deeper)
					}
				}
			}
		}
	}
	return found
}

// look is what field i of the struct adds: a candidate, an embedded struct
// whose fields are to be looked at, or nothing.
func (l level) look(i int) (*candidate, *level) {
	sf := l.typ.Field(i)
	elem := sf.Type
	if elem.Kind() == reflect.Pointer && elem.Name() == "" {
		elem = elem.Elem()
	}
	if !sf.IsExported() && (!sf.Anonymous || elem.Kind() != reflect.Struct) {
		return nil, nil
	}
	tag := sf.Tag.Get("json")
	if tag == "-" {
		return nil, nil
	}
	name, options, _ := strings.Cut(tag, ",")
	if !validName(name) {
		name = ""
	}
	index := append(slices.Clone(l.index), i)
	if name == "" && sf.Anonymous && elem.Kind() == reflect.Struct {
		deeper := &level{typ: elem, index: index, offset: l.offset + sf.Offset, through: l.through}
		if sf.Type.Kind() == reflect.Pointer {
			step := embedded{offset: deeper.offset, elem: elem, unset: !sf.IsExported()}
			deeper.through, deeper.offset = append(slices.Clone(l.through), step), 0
		}
		return nil, deeper
	}
	return &candidate{
		name:   cmp.Or(name, sf.Name),
		tagged: name != "",
		index:  index,
		quoted: quotable(elem.Kind()) && slices.Contains(strings.Split(options, ","), "string"),
		bare:   !sf.IsExported(),
		field:  sf,
		field0: field{offset: l.offset + sf.Offset, through: l.through},
	}, nil
}

// quotable are the kinds for which the option ",string" means something.
func quotable(k reflect.Kind) bool {
	return k >= reflect.Bool && k <= reflect.Float64 || k == reflect.String
}

// validName is whether encoding/json takes a tag's name.
func validName(name string) bool {
	for _, r := range name {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return name != ""
}
