package jsonobj

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strings"
	"unicode"
)

// field is one field of a struct under its JSON name.
type field struct {
	key    key
	name   string
	node   *node
	offset uintptr
	// through are the embedded pointers on the way to the field; offset is relative to
	// the last one's struct.
	through []embedded
	mark    fieldMark
	next    int16
}

// embedded is a pointer to an embedded struct, at offset of the struct that embeds
// it.
type embedded struct {
	offset uintptr
	elem   reflect.Type
	// unexported is set if the struct's type is not exported: a nil pointer to it
	// cannot be set.
	unexported bool
}

// candidate is a field of a struct, or of a struct embedded in it, before name
// conflicts are resolved.
type candidate struct {
	name   string
	tagged bool
	index  []int
	quoted bool
	// withoutMethods is set for an embedded field of an unexported type: reflection
	// cannot call its methods.
	withoutMethods bool
	field          reflect.StructField
	// compiled is the field with its offset, but not yet with its name and node.
	compiled field
}

// level is a struct whose fields are collected: the root, or an embedded struct.
type level struct {
	typ     reflect.Type
	index   []int
	offset  uintptr
	through []embedded
}

// structFields determines the JSON fields of a struct. The rules are those of
// encoding/json: of fields with one name, the field of the smallest depth counts,
// among those the field with a tag, and if there are still two, none.
func (c *compiler) structFields(t reflect.Type) (*fields, error) {
	found := candidates(t)
	// sort.Slice, because slices.SortFunc links a copy of its algorithm for each type.
	sort.Slice(found, func(i, j int) bool {
		a, b := &found[i], &found[j]
		return cmp.Or(strings.Compare(a.name, b.name), cmp.Compare(len(a.index), len(b.index)), -compareBool(a.tagged, b.tagged)) < 0
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
	sort.Slice(kept, func(i, j int) bool { return slices.Compare(kept[i].index, kept[j].index) < 0 })
	list := make([]field, 0, len(kept))
	for _, k := range kept {
		f := k.compiled
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

// field compiles the node of a field.
func (c *compiler) field(k candidate) (n *node, err error) {
	t := k.field.Type
	if k.withoutMethods {
		n, err = c.valueWithoutMethods(t)
	} else {
		n, err = c.value(t)
	}
	if err != nil {
		return nil, err
	}
	if k.quoted {
		wrapped := reflect.StructOf([]reflect.StructField{{Name: "F", Type: t, Tag: `json:"F,string"`}})
		return &node{mode: asQuoted, typ: t, wrapped: wrapped}, nil
	}
	if n.mode == asString && isUnique(k.name) {
		return &node{mode: asString, typ: t, noShare: true}, nil
	}
	return n, nil
}

// isUnique reports whether the strings of a field rarely repeat, so that sharing them
// is not worthwhile.
func isUnique(name string) bool {
	switch name {
	case "uid", "resourceVersion", "containerID", "podIP":
		return true
	}
	return false
}

// candidates returns the fields of t and of the structs embedded in it, level by
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
				candidate, embeddedLevel := l.classify(i)
				if candidate != nil {
					found = append(found, *candidate)
					// The fields of a struct embedded twice on one level hide each other.
					if count[l.typ] > 1 {
						found = append(found, *candidate)
					}
				}
				if embeddedLevel != nil {
					if times[embeddedLevel.typ]++; times[embeddedLevel.typ] == 1 {
						next = append(next, *embeddedLevel)
					}
				}
			}
		}
	}
	return found
}

// classify returns what field i of the struct adds: a candidate, an embedded struct
// whose fields must be collected, or nothing.
func (l level) classify(i int) (*candidate, *level) {
	structField := l.typ.Field(i)
	elem := structField.Type
	if elem.Kind() == reflect.Pointer && elem.Name() == "" {
		elem = elem.Elem()
	}
	if !structField.IsExported() && (!structField.Anonymous || elem.Kind() != reflect.Struct) {
		return nil, nil
	}
	tag := structField.Tag.Get("json")
	if tag == "-" {
		return nil, nil
	}
	name, options, _ := strings.Cut(tag, ",")
	if !validName(name) {
		name = ""
	}
	index := append(slices.Clone(l.index), i)
	if name == "" && structField.Anonymous && elem.Kind() == reflect.Struct {
		embeddedLevel := &level{typ: elem, index: index, offset: l.offset + structField.Offset, through: l.through}
		if structField.Type.Kind() == reflect.Pointer {
			step := embedded{offset: embeddedLevel.offset, elem: elem, unexported: !structField.IsExported()}
			embeddedLevel.through, embeddedLevel.offset = append(slices.Clone(l.through), step), 0
		}
		return nil, embeddedLevel
	}
	return &candidate{
		name:           cmp.Or(name, structField.Name),
		tagged:         name != "",
		index:          index,
		quoted:         quotable(elem.Kind()) && slices.Contains(strings.Split(options, ","), "string"),
		withoutMethods: !structField.IsExported(),
		field:          structField,
		compiled:       field{offset: l.offset + structField.Offset, through: l.through},
	}, nil
}

// quotable reports whether the option ",string" applies to a kind.
func quotable(k reflect.Kind) bool {
	return k >= reflect.Bool && k <= reflect.Float64 || k == reflect.String
}

// validName reports whether encoding/json accepts a tag's name.
func validName(name string) bool {
	for _, r := range name {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return name != ""
}
