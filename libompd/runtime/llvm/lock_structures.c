/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/llvm/lock_structures.h"

#include <string.h>

#define FIELD(type, member) member_recorded(record, RECORD_FIELD_##type##__##member)
#define TAG(name) FIELD(kmp_indirect_locktag_t, locktag_##name)

/* What the low byte of a lock says that lies in a word: its kind, and that it is no index (kmp_lock.h:
 * KMP_LOCK_FREE, KMP_LOCK_BUSY). Above it stands who holds it. */
enum { DIRECT_TAS = 3, DIRECT_FUTEX = 5, DIRECT_MASK = 0xff, DIRECT_SHIFT = 8 };

static bool lay_out_table(struct lock_structures *ret, const struct record *record)
{
	struct span *const wanted[] = {&ret->table.next_table};
	const struct span *const needed[] = {&ret->table.table, &ret->table.next};
	const struct span *const needed_of_entry[] = {&ret->entry.lock, &ret->entry.type};

	ret->table.table = FIELD(kmp_indirect_lock_table, table);
	ret->table.next = FIELD(kmp_indirect_lock_table, next);
	ret->table.next_table = FIELD(kmp_indirect_lock_table, next_table);
	ret->entry.lock = FIELD(kmp_indirect_lock_t, lock);
	ret->entry.type = FIELD(kmp_indirect_lock_t, type);
	return extent_cover(&ret->table.extent, needed, COUNT(needed), wanted, COUNT(wanted)) &&
	       extent_cover(&ret->entry.extent, needed_of_entry, COUNT(needed_of_entry), NULL, 0);
}

static void lay_out_types(struct lock_structures *ret, const struct record *record)
{
	/* An adaptive lock begins with the queuing lock that it falls back to. */
	const struct lock_type types[LOCK_TYPES] = {
		{TAG(ticket), ompdx_lock_ticket, false},
		{TAG(queuing), ompdx_lock_queuing, false},
		{TAG(adaptive), ompdx_lock_queuing, false},
		{TAG(rtm_queuing), ompdx_lock_queuing, false},
		{TAG(drdpa), ompdx_lock_drdpa, false},
		{TAG(nested_tas), ompdx_lock_tas, true},
		{TAG(nested_futex), ompdx_lock_futex, true},
		{TAG(nested_ticket), ompdx_lock_ticket, true},
		{TAG(nested_queuing), ompdx_lock_queuing, true},
		{TAG(nested_drdpa), ompdx_lock_drdpa, true},
	};

	memcpy(ret->types, types, sizeof(types));
}

static bool lay_out_words(struct lock_structures *ret, const struct record *record)
{
	const struct span *const tas[] = {&ret->tas.poll, &ret->tas.depth_locked};
	const struct span *const futex[] = {&ret->futex.poll, &ret->futex.depth_locked};

	ret->tas.poll = FIELD(kmp_base_tas_lock, poll);
	ret->tas.depth_locked = FIELD(kmp_base_tas_lock, depth_locked);
	ret->futex.poll = FIELD(kmp_base_futex_lock, poll);
	ret->futex.depth_locked = FIELD(kmp_base_futex_lock, depth_locked);
	return extent_cover(&ret->tas.extent, tas, COUNT(tas), NULL, 0) &&
	       extent_cover(&ret->futex.extent, futex, COUNT(futex), NULL, 0);
}

static bool lay_out_queues(struct lock_structures *ret, const struct record *record)
{
	const struct span *const ticket[] = {&ret->ticket.self, &ret->ticket.next_ticket,
					     &ret->ticket.now_serving, &ret->ticket.owner_id,
					     &ret->ticket.depth_locked};
	const struct span *const queuing[] = {&ret->queuing.initialized, &ret->queuing.tail_id,
					      &ret->queuing.head_id, &ret->queuing.owner_id,
					      &ret->queuing.depth_locked};
	const struct span *const drdpa[] = {&ret->drdpa.initialized, &ret->drdpa.polls,
					    &ret->drdpa.mask,        &ret->drdpa.next_ticket,
					    &ret->drdpa.owner_id,    &ret->drdpa.depth_locked};

	ret->ticket.self = FIELD(kmp_base_ticket_lock, self);
	ret->ticket.next_ticket = FIELD(kmp_base_ticket_lock, next_ticket);
	ret->ticket.now_serving = FIELD(kmp_base_ticket_lock, now_serving);
	ret->ticket.owner_id = FIELD(kmp_base_ticket_lock, owner_id);
	ret->ticket.depth_locked = FIELD(kmp_base_ticket_lock, depth_locked);
	ret->queuing.initialized = FIELD(kmp_base_queuing_lock, initialized);
	ret->queuing.tail_id = FIELD(kmp_base_queuing_lock, tail_id);
	ret->queuing.head_id = FIELD(kmp_base_queuing_lock, head_id);
	ret->queuing.owner_id = FIELD(kmp_base_queuing_lock, owner_id);
	ret->queuing.depth_locked = FIELD(kmp_base_queuing_lock, depth_locked);
	ret->drdpa.initialized = FIELD(kmp_base_drdpa_lock, initialized);
	ret->drdpa.polls = FIELD(kmp_base_drdpa_lock, polls);
	ret->drdpa.mask = FIELD(kmp_base_drdpa_lock, mask);
	ret->drdpa.next_ticket = FIELD(kmp_base_drdpa_lock, next_ticket);
	ret->drdpa.owner_id = FIELD(kmp_base_drdpa_lock, owner_id);
	ret->drdpa.depth_locked = FIELD(kmp_base_drdpa_lock, depth_locked);
	return extent_cover(&ret->ticket.extent, ticket, COUNT(ticket), NULL, 0) &&
	       extent_cover(&ret->queuing.extent, queuing, COUNT(queuing), NULL, 0) &&
	       extent_cover(&ret->drdpa.extent, drdpa, COUNT(drdpa), NULL, 0);
}

ompd_rc_t lock_structures_init(struct lock_structures *ret, const uint64_t table[TABLE_WORDS],
			       const struct record *record)
{
	memset(ret, 0, sizeof(*ret));
	if (!record || !lay_out_table(ret, record) || !lay_out_words(ret, record) ||
	    !lay_out_queues(ret, record))
		return ompd_rc_incompatible;
	lay_out_types(ret, record);
	ret->th_next_waiting = member_nested(member_published(table, ACCESS_kmp_info_t__th),
					     FIELD(kmp_base_info_t, th_next_waiting));
	return ret->th_next_waiting.size ? ompd_rc_ok : ompd_rc_incompatible;
}

ompd_rc_t lock_table_read(const struct target *target, const struct lock_structures *structures,
			  target_addr address, struct lock_table *ret)
{
	struct bytes bytes;
	const ompd_rc_t rc = bytes_read(&bytes, target, &structures->table.extent, address);

	if (rc != ompd_rc_ok)
		return rc;
	ret->table = bytes_get(&bytes, structures->table.table);
	ret->next = (uint32_t)bytes_get(&bytes, structures->table.next);
	ret->next_table = bytes_get(&bytes, structures->table.next_table);
	return ompd_rc_ok;
}

uint32_t lock_entry_size(const struct target *target)
{
	/* A pointer and an enumeration. */
	return 2u * target->sizes.sizeof_pointer;
}

void lock_entry_decode(const struct target *target, const struct lock_structures *structures,
		       const uint8_t *bytes, struct lock_entry *ret)
{
	const struct span lock = structures->entry.lock;
	const struct span type = structures->entry.type;
	const uint64_t tag = target_decode(target, bytes + type.offset, type.size);

	memset(ret, 0, sizeof(*ret));
	ret->lock = target_decode(target, bytes + lock.offset, lock.size);
	for (size_t i = 0; i < LOCK_TYPES; i++) {
		const struct lock_type *known = &structures->types[i];

		if (known->tag.size && known->tag.offset == tag) {
			ret->kind = known->kind;
			ret->nested = known->nested;
		}
	}
}

/* The word of a tas or futex lock. */
static void take_word(ompdx_lock_kind_t kind, uint32_t word, struct lock_data *ret)
{
	const uint32_t tag = word & DIRECT_MASK;
	const uint32_t busy = word >> DIRECT_SHIFT;

	ret->word = word;
	ret->proven = tag == (kind == ompdx_lock_tas ? DIRECT_TAS : DIRECT_FUTEX);
	ret->held = busy != 0;
	/* A futex lock keeps a bit for whether anybody waits. */
	ret->owner = (int32_t)(kind == ompdx_lock_tas ? busy : busy >> 1) - 1;
	if (kind == ompdx_lock_futex && !(busy & 1))
		ret->waiting = 0;
}

static ompd_rc_t read_word(const struct target *target, const struct lock_structures *structures,
			   struct lock_data *ret)
{
	const bool tas = ret->kind == ompdx_lock_tas;
	struct bytes bytes;
	const ompd_rc_t rc =
		bytes_read(&bytes, target,
			   tas ? &structures->tas.extent : &structures->futex.extent, ret->address);

	if (rc != ompd_rc_ok)
		return rc;
	take_word(ret->kind,
		  (uint32_t)bytes_get(&bytes, tas ? structures->tas.poll : structures->futex.poll),
		  ret);
	ret->depth = bytes_get_int(&bytes, tas ? structures->tas.depth_locked
					       : structures->futex.depth_locked);
	return ompd_rc_ok;
}

static ompd_rc_t read_ticket(const struct target *target, const struct lock_structures *structures,
			     struct lock_data *ret)
{
	struct bytes bytes;
	const ompd_rc_t rc = bytes_read(&bytes, target, &structures->ticket.extent, ret->address);
	uint32_t next, serving, drawn;

	if (rc != ompd_rc_ok)
		return rc;
	next = (uint32_t)bytes_get(&bytes, structures->ticket.next_ticket);
	serving = (uint32_t)bytes_get(&bytes, structures->ticket.now_serving);
	ret->word = (uint64_t)next << 32 | serving;
	/* Tickets that are not served yet; the first of them is the holder's. */
	drawn = next - serving;
	ret->proven = bytes_get(&bytes, structures->ticket.self) == ret->address;
	ret->held = drawn != 0;
	ret->waiting = drawn == 0 ? 0 : drawn > INT32_MAX ? -1 : (int32_t)drawn - 1;
	ret->owner = bytes_get_int(&bytes, structures->ticket.owner_id) - 1;
	ret->depth = bytes_get_int(&bytes, structures->ticket.depth_locked);
	return ompd_rc_ok;
}

static ompd_rc_t read_queuing(const struct target *target, const struct lock_structures *structures,
			      struct lock_data *ret)
{
	struct bytes bytes;
	const ompd_rc_t rc = bytes_read(&bytes, target, &structures->queuing.extent, ret->address);

	if (rc != ompd_rc_ok)
		return rc;
	ret->proven = bytes_get(&bytes, structures->queuing.initialized) == ret->address;
	ret->head_id = bytes_get_int(&bytes, structures->queuing.head_id);
	ret->tail_id = bytes_get_int(&bytes, structures->queuing.tail_id);
	ret->word = (uint64_t)(uint32_t)ret->head_id << 32 | (uint32_t)ret->tail_id;
	ret->held = ret->head_id != 0;
	ret->owner = bytes_get_int(&bytes, structures->queuing.owner_id) - 1;
	ret->depth = bytes_get_int(&bytes, structures->queuing.depth_locked);
	/* -1: held, and nobody waits. */
	if (ret->head_id <= 0) {
		ret->head_id = 0;
		ret->waiting = 0;
	}
	return ompd_rc_ok;
}

static ompd_rc_t read_drdpa(const struct target *target, const struct lock_structures *structures,
			    struct lock_data *ret)
{
	struct bytes bytes;
	ompd_rc_t rc = bytes_read(&bytes, target, &structures->drdpa.extent, ret->address);
	target_addr polls;
	uint64_t ticket, mask, poll;

	if (rc != ompd_rc_ok)
		return rc;
	polls = bytes_get(&bytes, structures->drdpa.polls);
	mask = bytes_get(&bytes, structures->drdpa.mask);
	ticket = bytes_get(&bytes, structures->drdpa.next_ticket);
	ret->proven = bytes_get(&bytes, structures->drdpa.initialized) == ret->address;
	ret->owner = bytes_get_int(&bytes, structures->drdpa.owner_id) - 1;
	ret->depth = bytes_get_int(&bytes, structures->drdpa.depth_locked);
	if (!ret->proven)
		return ompd_rc_ok;
	/* Free when the place where the next thread would look says that it is that one's turn. */
	rc = target_read_unsigned(target, polls + (ticket & mask) * 8, 8, &poll);
	if (rc == ompd_rc_ok) {
		ret->held = poll != ticket;
		ret->word = ticket << 32 ^ poll;
	}
	return rc == ompd_rc_error ? ompd_rc_ok : rc;
}

static void begin(target_addr address, ompdx_lock_kind_t kind, bool nested, struct lock_data *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->address = address;
	ret->kind = kind;
	ret->nested = nested;
	ret->held = ret->owner = ret->depth = ret->waiting = -1;
}

/* What only a lock that is held, or a nested one, can say. */
static void tidy(struct lock_data *ret)
{
	if (ret->held != 1 || ret->owner < 0)
		ret->owner = -1;
	if (!ret->nested || ret->held != 1 || ret->depth < 0)
		ret->depth = -1;
}

ompd_rc_t lock_data_read(const struct target *target, const struct lock_structures *structures,
			 const struct lock_entry *entry, struct lock_data *ret)
{
	ompd_rc_t rc = ompd_rc_ok;

	begin(entry->lock, entry->kind, entry->nested, ret);
	switch (entry->kind) {
	case ompdx_lock_tas:
	case ompdx_lock_futex:
		rc = read_word(target, structures, ret);
		break;
	case ompdx_lock_ticket:
		rc = read_ticket(target, structures, ret);
		break;
	case ompdx_lock_queuing:
		rc = read_queuing(target, structures, ret);
		break;
	case ompdx_lock_drdpa:
		rc = read_drdpa(target, structures, ret);
		break;
	case ompdx_lock_unknown:
		break;
	}
	tidy(ret);
	return rc;
}

bool lock_data_direct(target_addr address, uint32_t word, struct lock_data *ret)
{
	const uint32_t tag = word & DIRECT_MASK;

	if (tag != DIRECT_TAS && tag != DIRECT_FUTEX)
		return false;
	begin(address, tag == DIRECT_TAS ? ompdx_lock_tas : ompdx_lock_futex, false, ret);
	take_word(ret->kind, word, ret);
	tidy(ret);
	return true;
}
